import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

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
