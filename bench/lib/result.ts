import { type Spread, significant, spreadOf } from './report/statistics';

/** One measured quantity of one contender, with the value of each repeat. */
export interface Figure extends Spread {
  /** The name of the contender. */
  series: string;
  /** The name of the measured quantity. */
  metric: string;
  unit: string;
  repeats: number[];
}

/** A comparison within the same run: a ratio or difference for each repeat. */
export interface Verdict extends Spread {
  what: string;
  unit: string;
  repeats: number[];
  bar?: Bar;
  met?: boolean;
}

/** The limit that the median of a verdict, or every repeat, must meet. */
export type Bar = { atLeast: number } | { atMost: number; every?: true };

/** A condition that must hold however fast the machine is. */
export interface Check {
  what: string;
  ok: boolean;
  detail?: string;
}

/** A file with a plot that a scene draws. */
export interface Plot {
  /** Name of the file, without its folder. */
  file: string;
  svg: string;
}

/** The result of a scene. */
export interface Findings {
  figures: Figure[];
  verdicts: Verdict[];
  checks: Check[];
  /** How this run was made: the chosen concurrency, and values that could not be measured, with the reason. */
  notes: string[];
  plots: Plot[];
}

export function figure(series: string, metric: string, unit: string, repeats: readonly number[]): Figure {
  const rounded = repeats.map((value) => significant(value, 4));
  return { series, metric, unit, repeats: rounded, ...spreadOf(rounded) };
}

/** A verdict on pairs that were measured one after the other: `ours` compared with `beside`, for each repeat. */
export function ratio(what: string, ours: readonly number[], beside: readonly number[], bar?: Bar): Verdict {
  return verdict(
    what,
    '×',
    ours.map((value, index) => value / beside[index]!),
    bar,
  );
}

/** A verdict on values that are comparisons already. */
export function verdict(what: string, unit: string, repeats: readonly number[], bar?: Bar): Verdict {
  const rounded = repeats.map((value) => significant(value, 3));
  return {
    what,
    unit,
    repeats: rounded,
    ...spreadOf(rounded),
    ...(bar && { bar, met: meets(spreadOf(repeats), bar) }),
  };
}

function meets({ median, max }: Spread, bar: Bar): boolean {
  if ('atLeast' in bar) return median >= bar.atLeast;
  return (bar.every ? max : median) <= bar.atMost;
}

export function check(what: string, ok: boolean, detail?: string): Check {
  return { what, ok, ...(detail === undefined ? {} : { detail }) };
}
