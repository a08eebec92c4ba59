import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import type { Lost, PlannedFault } from './nemesis/nemesis';
import type { Plan, PlannedAsk } from './plan';
import type { ChaosSchedule } from './workload/definitions';

/** A request as a person makes it, and when it was answered. */
export interface AskedFact {
  ask: PlannedAsk['ask'] | 'redrive';
  scheduleId: string;
  /** The time of the first attempt, in epoch milliseconds. */
  asked: number;
  /** The time of the answer; undefined if there was none. */
  answered: number | undefined;
  /** The number of attempts to make the request. Each attempt may have had an effect. */
  tries: number;
  /** For an update: the new time between two occurrences. */
  every?: number;
  /** For a backfill: the start of the range; both ends are inclusive. */
  from?: number;
  to?: number;
}

/** A start that was abandoned, as its dead letter said before the run redrove it. */
export interface AbandonedFact {
  scheduleId: string;
  /** The nominal time of the firing. */
  time: number;
  reason: string | null;
  /** When the start was abandoned. */
  at: number;
}

/** A fault, with the times at which it actually began and ended. */
export interface FaultFact {
  name: string;
  targets: string[];
  detail: Record<string, string | number>;
  began: number;
  ended: number;
  lost?: Lost;
}

/** A line of a run's log. */
export type Line =
  | { line: 'run'; seed: number; milliseconds: number; version: 1 }
  | { line: 'schedule'; schedule: ChaosSchedule }
  | { line: 'planned ask'; ask: PlannedAsk }
  | { line: 'planned fault'; fault: PlannedFault }
  | { line: 'began'; at: number; from: number; to: number }
  | { line: 'asked'; asked: AskedFact }
  | { line: 'abandoned'; abandoned: AbandonedFact }
  | { line: 'fault'; fault: FaultFact }
  | { line: 'note'; at: number; text: string }
  | { line: 'violation'; kind: string; text: string };

/** The log of a run: first its plan, from which it can be replayed, then its events. */
export class Journal {
  readonly asked: AskedFact[] = [];
  readonly abandoned: AbandonedFact[] = [];
  readonly faults: FaultFact[] = [];

  constructor(
    private readonly file: string | undefined,
    plan: Plan,
  ) {
    if (file !== undefined) writeFileSync(file, '');
    for (const line of linesOf(plan)) this.write(line);
  }

  write(line: Line): void {
    if (line.line === 'asked') this.asked.push(line.asked);
    if (line.line === 'abandoned') this.abandoned.push(line.abandoned);
    if (line.line === 'fault') this.faults.push(line.fault);
    if (this.file !== undefined) appendFileSync(this.file, `${JSON.stringify(line)}\n`);
  }

  note(text: string): void {
    this.write({ line: 'note', at: Date.now(), text });
  }
}

export function linesOf({ seed, milliseconds, schedules, asks, faults }: Plan): Line[] {
  return [
    { line: 'run', seed, milliseconds, version: 1 },
    ...schedules.map((schedule) => ({ line: 'schedule', schedule }) as const),
    ...asks.map((ask) => ({ line: 'planned ask', ask }) as const),
    ...faults.map((fault) => ({ line: 'planned fault', fault }) as const),
  ];
}

/** The plan in a log or a scenario file. @throws {Error} for any other file */
export function planIn(file: string): Plan {
  const lines = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text) as Line);
  const [first] = lines;
  if (first?.line !== 'run' || first.version !== 1) throw new Error(`${file} is no log of a chaos run`);
  return {
    seed: first.seed,
    milliseconds: first.milliseconds,
    schedules: lines.flatMap((line) => (line.line === 'schedule' ? [line.schedule] : [])),
    asks: lines.flatMap((line) => (line.line === 'planned ask' ? [line.ask] : [])),
    faults: lines.flatMap((line) => (line.line === 'planned fault' ? [line.fault] : [])),
  };
}
