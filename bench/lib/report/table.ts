import type { Bar, Figure, Verdict } from '../result';

const DASH = '–';

/** A Markdown table with one row per contender and one column per metric, with medians and spreads. */
export function figuresTable(figures: readonly Figure[]): string {
  const metrics = [...new Set(figures.map(({ metric }) => metric))];
  const unitOf = (metric: string) => figures.find((figure) => figure.metric === metric)!.unit;
  const rows = [...new Set(figures.map(({ series }) => series))].map((series) => [
    series,
    ...metrics.map((metric) => {
      const found = figures.find((figure) => figure.series === series && figure.metric === metric);
      return found ? withSpread(found) : '';
    }),
  ]);
  return table(['', ...metrics.map((metric) => `${metric} [${unitOf(metric)}]`)], rows);
}

/** A Markdown table with each comparison, its result, its limit, and whether the limit is met. */
export function verdictsTable(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map((verdict) => [
    verdict.what,
    `${withSpread(verdict)} ${verdict.unit}`,
    verdict.bar ? `${barText(verdict.bar)} ${verdict.unit}` : '',
    verdict.met === undefined ? '' : verdict.met ? 'met' : '**not met**',
  ]);
  return table(['compared', 'median (min–max)', 'bar', ''], rows);
}

function withSpread({ median, min, max, repeats }: Figure | Verdict): string {
  if (repeats.length === 1) return number(median);
  return `${number(median)} (${number(min)}${DASH}${number(max)})`;
}

function barText(bar: Bar): string {
  if ('atLeast' in bar) return `at least ${number(bar.atLeast)}`;
  return `${bar.every ? 'each ' : ''}at most ${number(bar.atMost)}`;
}

function number(value: number): string {
  if (!Number.isFinite(value)) return 'none';
  const rounded = Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
  return rounded.toLocaleString('en', { maximumFractionDigits: 5 });
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n');
}
