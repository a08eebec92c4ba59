import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { calendarOf, workflowIdAt } from '../../bench/lib/calendar';
import { multiply } from '../../bench/lib/fill/multiply';
import { Ledger } from '../../bench/lib/ledger';
import { cdf } from '../../bench/lib/report/plots';
import { type SceneReport, writeTables } from '../../bench/lib/report/report';
import { median, percentile, spreadOf } from '../../bench/lib/report/statistics';
import { wereAnswered } from '../../bench/lib/requests';
import { figure, ratio, verdict } from '../../bench/lib/result';
import { defineScene } from '../../bench/lib/scene';
import { sweep } from '../../bench/lib/sweep';
import { countStatements } from '../../bench/lib/usage/counting-proxy';
import { Patience } from '../../bench/lib/wait';
import { nextOccurrences } from '../../index';
import { temporaryFolder } from '../support/folder';

it('takes percentiles by the nearest rank, in any order of the values', () => {
  const values = Array.from({ length: 200 }, (_, index) => 200 - index);
  expect([0, 0.5, 0.99, 1].map((share) => percentile(values, share))).toEqual([1, 100, 198, 200]);
  expect(spreadOf([3, 1, 2])).toEqual({ median: 2, min: 1, max: 3 });
  expect(percentile([], 0.5)).toBeNaN();
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([])).toBeNaN();
});

it('compares pair by pair, and holds the median against the bar', () => {
  expect(ratio('ours', [9, 20, 8], [10, 10, 10], { atLeast: 0.9 })).toMatchObject({
    ...{ repeats: [0.9, 2, 0.8], median: 0.9, min: 0.8, max: 2, met: true },
  });
  expect(verdict('lag', 'ms', [501], { atMost: 500 }).met).toBe(false);
  expect(verdict('lag', 'ms', [1])).not.toHaveProperty('met');
});

it('holds the measured value against the bar, not the rounded one', () => {
  expect(verdict('ours', '×', [0.8996], { atLeast: 0.9 })).toMatchObject({ median: 0.9, met: false });
});

it('has a bar for the share of the requests that must be answered', () => {
  expect(wereAnswered({ due: 1_000, answered: 950 })).toBe(true);
  expect(wereAnswered({ due: 1_000, answered: 949 })).toBe(false);
});

it('measures with the concurrency that gave the highest rate, whatever the try that warms up gave', async () => {
  const rates = [900, 10, 30, 20];
  const found = await sweep({ count: 5, inFlight: [1, 2, 4] }, async () => rates.shift()!);
  expect(found).toEqual({ best: 2, tried: { 1: 10, 2: 30, 4: 20 } });
});

it('gives up on what stands still, and not on what moves, however long it takes', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const patience = new Patience('3 rows', 60);
  for (const count of [9, 8, 7, 6]) {
    patience.note(count);
    vi.advanceTimersByTime(59_000);
    patience.note(count);
  }
  vi.advanceTimersByTime(1_001);
  expect(() => patience.note(6)).toThrow('gave up waiting for 3 rows: at 6 for 60 s');
});

it('has for an instant the spec that fires then and never again', () => {
  const instant = Date.UTC(2026, 11, 31, 23, 59, 58);
  const times = nextOccurrences({ calendars: [calendarOf(instant)] }, { after: new Date(instant - 1), count: 2 });
  expect(times).toEqual([new Date(instant)]);
  expect(workflowIdAt('report', instant)).toBe('report-workflow-2026-12-31T23:59:58Z');
});

it('refuses to change what the size of a scene does not have', () => {
  const size = { rounds: 3 };
  const scene = defineScene({ name: 'some', title: '', full: size, quick: size, run: async () => expect.fail() });
  expect(scene.prepare({ quick: false, changes: { rounds: 1 } }).size).toEqual({ rounds: 1 });
  expect(() => scene.prepare({ quick: false, changes: { round: 1 } })).toThrow('the size of some has no round');
});

it('writes the table of every report between the marks, and leaves the rest of the page alone', async () => {
  const folder = await temporaryFolder();
  const page = join(folder, 'README.md');
  await writeFile(page, 'before\n<!-- results: begin -->\nformer\n<!-- results: end -->\nafter\n');
  const report: SceneReport = {
    ...{
      scene: 'some',
      title: 'Some',
      date: '2026-01-01T00:00:00Z',
      quick: false,
      seconds: 61,
      size: {},
      plots: ['p.svg'],
    },
    machine: { cores: 2, cpu: 'a CPU', platform: 'linux x64' },
    versions: { escapement: '0', commit: 'abc1234', node: 'v20' },
    servers: { temporal: 'a server', postgres: { fsync: 'on' } },
    figures: [figure('ours', 'lag p50', 'ms', [1, 3, 2]), figure('theirs', 'lag p50', 'ms', [10_000])],
    verdicts: [verdict('p50, of theirs', '×', [0.5], { atMost: 0.1 })],
    ...{ checks: [{ what: 'none is early', ok: true }], notes: ['A note.'] },
  };
  await writeFile(join(folder, 'some.json'), JSON.stringify(report));
  const scene = { name: 'some', title: '', prepare: () => expect.fail() };
  // A scene that has not been measured is left out.
  await writeTables(page, folder, [scene, { ...scene, name: 'other' }]);
  const text = await readFile(page, 'utf8');
  expect(text).toMatch(/^before\n<!-- results: begin -->\n\n### some\n.*\n<!-- results: end -->\nafter\n$/s);
  expect(text).not.toContain('former');
  expect(text).toContain('| ours | 2 (1–3) |');
  expect(text).toContain('| theirs | 10,000 |');
  expect(text).toContain('| p50, of theirs | 0.5 × | at most 0.1 × | **not met** |');
  expect(text).toContain('- Holds: none is early.');
  expect(text).toContain('![p.svg](results/p.svg)');
  expect(text).toContain('commit abc1234');
  expect(text).toContain('fsync on');
});

it('draws a line for each contender, from no firing to all of them', () => {
  const svg = cdf({
    ...{ title: 'A & B', xLabel: 'lag' },
    series: [
      { label: 'ours', values: [1, 10] },
      { label: 'theirs', values: [100, 1_000] },
    ],
  });
  const lines = [...svg.matchAll(/<path d="(M[^"]+)" stroke="#\w+" stroke-width="2"/g)].map(([, path]) => path!);
  expect(lines).toHaveLength(2);
  // The axes run from 1 ms at 70 to 1,000 ms at 590, and from all of them at 46 to none at 366.
  expect(lines[0]).toMatch(/^M70 366L.*L243.3 46$/);
  expect(lines[1]).toMatch(/^M416.7 366L.*L590 46$/);
  expect(svg).toContain('A &amp; B');
});

it('draws each of nine contenders in a way of its own, as the legend shows it', () => {
  const series = Array.from({ length: 9 }, (_, index) => ({ label: `${index}`, values: [index] }));
  const svg = cdf({ title: '', xLabel: '', series });
  const styles = (width: number) =>
    svg.match(new RegExp(`stroke="#\\w+" stroke-width="${width}"( stroke-dasharray="[^"]+")?`, 'g'))!;
  expect(new Set(styles(2)).size).toBe(9);
  expect(new Set(styles(3)).size).toBe(9);
});

it('counts each statement on its way to Postgres once, prepared or not', async () => {
  const proxy = await countStatements(inject('databaseUrl'));
  const client = new Client({ connectionString: proxy.databaseUrl });
  await client.connect();
  await client.query('begin');
  await client.query('select $1::text', ['x'.repeat(200_000)]);
  const { rows } = await client.query({ name: 'kept', text: 'select 1 as one' });
  await client.query({ name: 'kept', text: 'select 1 as one' });
  await client.query('commit');
  await client.end();
  await proxy.close();
  expect(rows).toEqual([{ one: 1 }]);
  expect(proxy.statements()).toBe(5);
});

it('multiplies a schedule into as many live ones with its definition', async () => {
  const ledger = await Ledger.create(inject('databaseUrl'), 'default');
  onTestFinished(() => ledger.drop());
  const action = { type: 'startWorkflow', workflowType: 'noop', taskQueue: 'bench' } as const;
  const { scheduleId } = await ledger.client.create({ scheduleId: 'one', spec: { cron: '0 0 1 1 *' }, action });
  const ids = await multiply(ledger, scheduleId, 3);
  expect(ids).toEqual(['one', 'one-1', 'one-2']);
  const live: string[] = [];
  for await (const schedule of ledger.client.list()) live.push(schedule.scheduleId);
  expect(live).toEqual(ids);
  const [first, last] = await Promise.all(['one', 'one-2'].map((id) => ledger.client.getHandle(id).describe()));
  expect(last!.spec).toEqual(first!.spec);
  expect(last!.info).toEqual(first!.info);
});
