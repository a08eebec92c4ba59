import { percentile } from './statistics';
import { chart, type Line, linear, logarithmic, type Tick } from './svg';

/** The values of one contender that a plot shows. */
export interface PlottedValues {
  label: string;
  values: readonly number[];
}

const SHARES = Array.from({ length: 201 }, (_, index) => index / 200);

/**
 * A plot that shows, for each value, the share of values that are not larger. The axis of the values is logarithmic. A
 * value below 1 is drawn at 1.
 */
export function cdf(options: { title: string; xLabel: string; series: readonly PlottedValues[] }): string {
  const largest = Math.max(10, ...options.series.map(({ values }) => percentile(values, 1)));
  const to = 10 ** Math.ceil(Math.log10(largest));
  const lines: Line[] = options.series.map(({ label, values }) => ({
    label,
    points: SHARES.map((share) => [percentile(values, share), share]),
  }));
  return chart({
    title: options.title,
    xLabel: options.xLabel,
    yLabel: 'share of the firings',
    x: { scale: logarithmic(1, to), ticks: decades(to) },
    y: { scale: linear(0, 1), ticks: [0, 0.25, 0.5, 0.75, 1].map((value) => ({ value, label: `${value * 100} %` })) },
    lines,
  });
}

/** A plot of lines over a linear x axis, with a linear y axis from 0. */
export function overTime(options: { title: string; xLabel: string; yLabel: string; lines: Line[] }): string {
  const points = options.lines.flatMap((line) => line.points);
  const furthest = roundUp(Math.max(1, ...points.map(([x]) => x)));
  const highest = roundUp(Math.max(1e-3, ...points.map(([, y]) => y)));
  return chart({
    ...options,
    x: { scale: linear(0, furthest), ticks: fifths(furthest) },
    y: { scale: linear(0, highest), ticks: fifths(highest) },
  });
}

function decades(to: number): Tick[] {
  const ticks: Tick[] = [];
  for (let value = 1; value <= to; value *= 10) ticks.push({ value, label: value.toLocaleString('en') });
  return ticks;
}

function fifths(to: number): Tick[] {
  return [0, 1, 2, 3, 4, 5].map((part) => {
    const value = (to * part) / 5;
    return { value, label: Number(value.toPrecision(3)).toLocaleString('en') };
  });
}

/** The next number of the form 1, 2 or 5 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value * 0.999) ?? 10 * power;
}
