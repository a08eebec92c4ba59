import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { percentile } from '../bench/lib/report/statistics';
import { CHECKED } from './check/counts';
import { VIOLATIONS, type Violation } from './check/facts';
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
  versions: { commit: string };
}

/** Every recorded run, by seed. */
export function recordedResults(): RecordedRun[] {
  return readdirSync(RESULTS)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(RESULTS, name), 'utf8')) as RecordedRun)
    .sort((one, other) => one.seed - other.seed);
}

/** A result as JSON, with each list of numbers on one line. */
export function jsonOf(run: object): string {
  const text = JSON.stringify(run, null, 2);
  return `${text.replace(/\[\n[\d,\s]+\]/g, (list) => list.replace(/\s+/g, ''))}\n`;
}

/** Write the counts of the recorded runs into docs/reliability.md. */
export function writeCounts(): void {
  writeFileSync(PAGE, withCounts(readFileSync(PAGE, 'utf8'), recordedResults()));
}

/** Replaces the counts in the page with those of the given results. */
export function withCounts(page: string, results: RecordedRun[]): string {
  const [before, rest] = page.split(BEGIN) as [string, string];
  const after = rest.split(END)[1]!;
  return `${before}${BEGIN}\n\n${tables(results)}\n\n${END}${after}`;
}

function tables(results: RecordedRun[]): string {
  if (results.length === 0) return 'No run has been recorded yet.';
  return [summary(results), checkedTable(results), ...events(results), runTable(results), ...recovery(results)].join(
    '\n\n',
  );
}

function summary(results: RecordedRun[]): string {
  const total = (count: (one: Result) => number) => number(sum(results.map(count)));
  const runs = results.length === 1 ? 'One run' : `${results.length} runs`;
  const minutes = number(Math.round(sum(results.map((one) => one.minutes))));
  const commits = new Set(results.map(({ versions }) => versions.commit)).size;
  return [
    `${runs} of ${rangeOf(results.map((one) => one.schedules))} schedules each, ${minutes} minutes in all, on ${commits === 1 ? 'one commit' : `${commits} commits`}:`,
    `${total((one) => one.expected)} occurrences that needed an answer, ${total((one) => one.started)} workflows started, ${total((one) => one.recovered)} firings taken over.`,
    'Occurrences without a workflow were skipped or are in a gap, as their schedules say.',
    'A firing is taken over from a trigger that was dead or late, or whose start Temporal had not answered or had refused.',
  ].join('\n');
}

/**
 * A table that shows for each kind of violation how often it was found, and how many things were checked for it, if any
 * run recorded that.
 */
function checkedTable(results: RecordedRun[]): string {
  const found = (kind: Violation['kind']) => [kind, number(sum(results.map((one) => one.violations[kind])))];
  if (!results.some(({ checked }) => checked)) return table(['violation', 'found'], VIOLATIONS.map(found));
  const checkedOf = (kind: Violation['kind']) => {
    const counts = results.flatMap(({ checked }) => (checked ? [checked[kind]] : []));
    return counts.length === results.length ? `${number(sum(counts))} ${CHECKED[kind]}` : 'not recorded';
  };
  return table(
    ['violation', 'found', 'looked for in'],
    VIOLATIONS.map((kind) => [...found(kind), checkedOf(kind)]),
  );
}

/** A list of what happened in the runs besides plain starts; empty if the result of any run lacks these counts. */
function events(results: RecordedRun[]): string[] {
  const all = results.flatMap(({ events }) => (events ? [events] : []));
  if (all.length < results.length) return [];
  const counts = Object.keys(all[0]!).map((name) => `- ${name}: ${number(sum(all.map((one) => one[name] ?? 0)))}`);
  return ['These runs had:', counts.join('\n')];
}

function runTable(results: RecordedRun[]): string {
  return table(
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
      number(sum(one.faults.map(({ times }) => times))),
      number(sum(Object.values(one.violations))),
      one.settledSeconds === null ? 'not in time' : `${one.settledSeconds} s`,
      one.load === undefined ? 'not recorded' : one.load.toFixed(1),
    ]),
  );
}

/** How often each kind of fault struck, and the times from a fault to a recovered start, if any run recorded those. */
function recovery(results: RecordedRun[]): string[] {
  const all = results.flatMap(({ faults }) => faults);
  const kinds = [...new Set(all.map(({ name }) => name))].sort().map((name) => {
    const ofKind = all.filter((one) => one.name === name);
    return { ofKind, row: [name, number(sum(ofKind.map(({ times }) => times)))] };
  });
  if (!all.some(({ recoveredMilliseconds }) => recoveredMilliseconds)) {
    return [
      table(
        ['fault', 'times'],
        kinds.map(({ row }) => row),
      ),
    ];
  }
  return [
    [
      'Time from a fault to a start that a trigger made after a takeover. It begins with the first such fault, or when the firing was due if that is later, and ends at',
      "the first workflow task by Temporal's history. So it includes what was left of the fault, such as a server's absence.",
      'A start counts if its firing was due during such a fault or within five seconds before or after it, and waited for no other firing. It counts for each kind',
      'of fault that it met. Load and overlapping faults make these times longer. Older runs began with the last such fault.',
    ].join('\n'),
    table(
      ['fault', 'times', 'recovered starts', 'p50', 'p99'],
      kinds.map(({ ofKind, row }) => [...row, ...timesOf(ofKind)]),
    ),
  ];
}

function timesOf(ofKind: FaultCount[]): string[] {
  const lists = ofKind.flatMap(({ recoveredMilliseconds }) => (recoveredMilliseconds ? [recoveredMilliseconds] : []));
  if (lists.length < ofKind.length) return ['not recorded', '', ''];
  const times = lists.flat();
  if (times.length === 0) return ['0', '', ''];
  return [number(times.length), ...[0.5, 0.99].map((share) => `${number(percentile(times, share))} ms`)];
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** The number if all counts are equal; otherwise the least and the greatest one. */
function rangeOf(counts: number[]): string {
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return least === most ? number(least) : `${number(least)} to ${number(most)}`;
}

const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
const number = (count: number) => count.toLocaleString('en-US');
