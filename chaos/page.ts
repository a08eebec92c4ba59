import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VIOLATIONS } from './check/facts';
import type { FaultCount, Result } from './summary';

export const RESULTS = join(__dirname, 'results');
export const PAGE = join(__dirname, '..', 'docs', 'reliability.md');
const [BEGIN, END] = ['<!-- counts: written by `npm run chaos -- --record` -->', '<!-- end of counts -->'];

/** A run, as it is stored in the folder of results. */
export interface RecordedRun extends Result {
  /**
   * The load of the machine over the last fifteen minutes, which includes other work. Older results do not have this
   * value.
   */
  load?: number;
}

/** Every recorded run, by seed. */
export function recordedResults(): RecordedRun[] {
  return readdirSync(RESULTS)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(RESULTS, name), 'utf8')) as RecordedRun)
    .sort((one, other) => one.seed - other.seed);
}

/** Write the counts of the recorded runs into docs/reliability.md. */
export function writeCounts(): void {
  writeFileSync(PAGE, withCounts(readFileSync(PAGE, 'utf8'), recordedResults()));
}

/** Replaces the counts in the page by these counts. */
export function withCounts(page: string, results: RecordedRun[]): string {
  const [before, rest] = page.split(BEGIN) as [string, string];
  const after = rest.split(END)[1]!;
  return `${before}${BEGIN}\n\n${tables(results)}\n\n${END}${after}`;
}

function tables(results: RecordedRun[]): string {
  if (results.length === 0) return 'No run has been recorded yet.';
  const minutes = results.reduce((sum, one) => sum + one.minutes, 0);
  const total = (count: (one: Result) => number) => number(results.reduce((sum, one) => sum + count(one), 0));
  return [
    `${results.length === 1 ? 'One run' : `${results.length} runs`}, ${number(Math.round(minutes))} minutes: ${total((one) => one.expected)} expected, ${total((one) => one.started)} started, ${total(
      (one) => one.recovered,
    )} taken over from another trigger, which was dead or late, or whose start Temporal had not answered or had refused.`,
    table([...VIOLATIONS], [VIOLATIONS.map((kind) => total((one) => one.violations[kind]))]),
    table(
      [
        'seed',
        'minutes',
        'expected',
        'started',
        'taken over',
        'changes',
        'faults',
        'violations',
        'settled after',
        'load',
      ],
      results.map((one) => [
        ...[one.seed, one.minutes, one.expected, one.started, one.recovered, one.asked].map(number),
        number(one.faults.reduce((sum, { times }) => sum + times, 0)),
        number(Object.values(one.violations).reduce((sum, count) => sum + count, 0)),
        one.settledSeconds === null ? 'not in time' : `${one.settledSeconds} s`,
        one.load === undefined ? 'not recorded' : one.load.toFixed(1),
      ]),
    ),
    'Lag of firings that were due during such a fault or within five seconds after it, in the run with the longest lag. Only schedules that nothing else delays are counted.',
    table(['fault', 'times', 'firings due meanwhile', 'p50 lag, worst run', 'p99 lag, worst run'], faultRows(results)),
  ].join('\n\n');
}

function faultRows(results: RecordedRun[]): string[][] {
  const all = results.flatMap(({ faults }) => faults);
  return [...new Set(all.map(({ name }) => name))].sort().map((name) => {
    const of = all.filter((one) => one.name === name);
    const sum = (count: (one: FaultCount) => number) => number(of.reduce((total, one) => total + count(one), 0));
    const worst = (lag: (one: FaultCount) => number) => `${number(Math.max(...of.map(lag)))} ms`;
    return [
      name,
      sum(({ times }) => times),
      sum(({ firings }) => firings),
      worst((one) => one.p50Milliseconds),
      worst((one) => one.p99Milliseconds),
    ];
  });
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const number = (count: number) => count.toLocaleString('en-US');
