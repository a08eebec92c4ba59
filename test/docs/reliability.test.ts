import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { NEMESES } from '../../chaos/nemesis';
import { Random } from '../../chaos/random';
import { type MutationResults, withMutation } from '../../scripts/lib/mutation/page';

const ROOT = resolve(__dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const page = read('docs/reliability.md');

/** What a number follows on in a file. */
function numberAfter(file: string, before: string): number {
  const [, digits] = new RegExp(`${before}([\\d_]+)`).exec(read(file)) ?? [];
  return Number(digits?.replaceAll('_', ''));
}

it('docs/reliability.md says how many traces the tests play', () => {
  const halves = ['first-half', 'second-half'].map((half) => numberAfter(`test/traces/${half}.test.ts`, 'traces: '));
  expect(page).toContain(`plays ${halves[0]! + halves[1]!} and`);
  expect(page).toContain(`plays ${numberAfter('test/long/traces.test.ts', 'traces: ').toLocaleString('en')} more`);
  const contributing = read('CONTRIBUTING.md');
  expect(contributing).toContain(`the ${halves[0]! + halves[1]!} of \`npm test\``);
  expect(contributing).toContain(
    `the ${numberAfter('test/long/traces.test.ts', 'traces: ').toLocaleString('en')} more of \`npm run verify\``,
  );
  expect(page).toContain(`: ${numberAfter('test/traces/server.test.ts', 'traces: ')} in \`npm test\`,`);
});

it('docs/reliability.md names the seeds of the chaos runs of the tests, and how long each takes', () => {
  const seconds = (file: string, before: string) => numberAfter(file, before) / 1_000;
  const [short, long] = ['test/chaos-runs/short.test.ts', 'test/long/chaos.test.ts'];
  expect(page).toContain(`plays seed ${numberAfter(short, 'SEED = ')} for ${seconds(short, 'planOfSeed\\(SEED, ')} s`);
  const seeds = /\[(\d[\d, ]+)\]/.exec(read(long))![1]!.replace(/, (?=\d+$)/, ' and ');
  expect(page).toContain(`also plays ${seeds} for ${seconds(long, 'planOfSeed\\(seed, ')} s`);
});

it.each([
  ['runs', 'EARLY', 1, 'ms'],
  ['skips', 'SLACK', 1_000, 's'],
  ['skips', 'STALLED', 1_000, 's'],
  ['stretches', 'BEHIND', 1_000, 's'],
  ['alerts', 'DELIVERED_WITHIN', 1_000, 's'],
])('docs/reliability.md says the tolerance of chaos/check/%s.ts: %s', (file, name, unit, symbol) => {
  const milliseconds = numberAfter(`chaos/check/${file}.ts`, `${name}_MILLISECONDS = `);
  expect(page).toContain(`| ${milliseconds / unit} ${symbol} |`);
});

/** Draws the first or the last of all that may be drawn, and keeps what it was asked to pick from. */
class Extreme extends Random {
  readonly picked: unknown[][] = [];

  constructor(readonly isLast: boolean) {
    super(0);
  }

  override between(least: number, most: number): number {
    return this.isLast ? most : least;
  }

  override pick<One>(all: readonly One[]): One {
    this.picked.push([...all]);
    return super.pick(all);
  }
}

/** The shortest and the longest time of a kind of fault in milliseconds, and what else it draws from. */
function drawnBy(name: string) {
  const nemesis = NEMESES.find((one) => one.name === name)!;
  const [first, last] = [new Extreme(false), new Extreme(true)];
  const [least, most] = [first, last].map((random) => nemesis.draw(random, ['trigger1', 'worker1']).milliseconds);
  return { least: least! / 1_000, most: most! / 1_000, picked: last.picked };
}

it('docs/reliability.md says the kinds of faults with the times that they draw', () => {
  const [, table] = /### What is broken\n([\s\S]*?)\n### /.exec(page)!;
  const rows = new Map([...table!.matchAll(/^\| ([\w ]+) \| (.+) \|$/gm)].map(([, name, done]) => [name!, done!]));
  rows.delete('fault');
  expect([...rows.keys()].sort()).toEqual(NEMESES.map(({ name }) => name).sort());
  const [kill, freeze, deploy, memory] = [drawnBy('kill'), drawnBy('freeze'), drawnBy('deploy'), drawnBy('memory')];
  const wrongClocks = drawnBy('clock').picked.find((all) => all.every((one) => typeof one === 'number')) as number[];
  const offs = [...new Set(wrongClocks.map((off) => Math.abs(off) / 1_000))].sort((one, other) => one - other);
  expect({ killed: kill.least, frozen: freeze.least, offs }).toEqual({ killed: 0, frozen: 0.5, offs: [4, 3_600] });
  const said: Record<string, string> = {
    kill: `up to ${kill.most} s`,
    freeze: `for half a second to ${freeze.most} s`,
    network: `by ${numberAfter('chaos/nemesis/network.ts', 'LATENCY_MILLISECONDS = ')} ms`,
    clock: `by ${offs[0]} s or an hour`,
    deploy: `for ${deploy.least} to ${deploy.most} s`,
    memory: `for ${memory.least} to ${memory.most} s`,
  };
  for (const [name, text] of Object.entries(said)) expect(rows.get(name), name).toContain(text);
  expect(page).toContain(`may be frozen for ${freeze.most} s`);
  const timed = [...rows].filter(([, done]) => /\d+ m?s\b/.test(done)).map(([name]) => name);
  expect(timed.sort()).toEqual(Object.keys(said).sort());
});

it('docs/reliability.md counts the scenarios and the states of docs/model.md', () => {
  const [, table] = /## What was searched\n([\s\S]*?)\n## /.exec(read('docs/model.md'))!;
  const states = table!.match(/\| [\d,]{4,} \|/g)!.map((cell) => Number(cell.replace(/\D/g, '')));
  expect(states).toHaveLength(6);
  const millions = (states.reduce((sum, count) => sum + count) / 1e6).toFixed(1);
  expect(page).toContain(`${millions} million states in six scenarios`);
});

it('each file that docs/reliability.md names is there', () => {
  const named = page.match(/\b(?:test|bench)\/[\w/.-]+\.ts\b/g)!;
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});

it('docs/reliability.md has the scores of docs/mutation.json, as `npx tsx scripts/write-mutation.ts` writes them', () => {
  expect(page).toBe(withMutation(page));
});

it('tests notice at least nine of ten mutants of core/, and four of five of the passes', () => {
  const { counts, unnoticed } = JSON.parse(read('docs/mutation.json')) as MutationResults;
  const score = (some: typeof counts) =>
    some.reduce((sum, { noticed }) => sum + noticed, 0) / some.reduce((sum, { mutants }) => sum + mutants, 0);
  const [core, passes] = [
    counts.filter(({ code }) => code.includes('`core/')),
    counts.filter(({ code }) => code.includes('`trigger/')),
  ];
  expect(core.length + passes.length).toBe(counts.length);
  expect(score(core)).toBeGreaterThanOrEqual(0.9);
  expect(score(passes)).toBeGreaterThanOrEqual(0.8);
  const left = passes.reduce((sum, { mutants, noticed }) => sum + mutants - noticed, 0);
  expect(unnoticed.flatMap(({ mutants }) => mutants)).toHaveLength(left);
});
