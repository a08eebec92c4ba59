import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { TRANSITIONS } from '../../core/firing';

const ROOT = resolve(__dirname, '../..');
const read = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8');
const MODEL = read('model', 'Firing.tla');

const quoted = (text: string) => [...text.matchAll(/"([^"]+)"/g)].map(([, name]) => name!);

it('the model has the transitions of the code', () => {
  const [, table] = /Transitions == \[([^\]]+)\]/.exec(MODEL)!;
  const transitions = [...table!.matchAll(/(\w+) \|-> \{([^}]+)\}/g)].map(([, from, to]) => [from, quoted(to!)]);
  expect(Object.fromEntries(transitions)).toEqual(TRANSITIONS);
});

it('each guard of the model is left out once, and docs/model.md says what breaks without it', () => {
  const guards = new Set([...MODEL.matchAll(/Has\("([^"]+)"\)/g)].map(([, guard]) => guard!));
  const scenarios = read('model', 'scenarios.mjs');
  const page = read('docs', 'model.md');
  const without = new Set(
    [...scenarios.matchAll(/without\((?:'([^']+)'|"([^"]+)")/g)].map(([, one, other]) => (one ?? other)!),
  );
  expect(without).toEqual(guards);
  expect([...guards].filter((guard) => !page.includes(`| ${guard} |`))).toEqual([]);
});

it('each file that the model names is there', () => {
  const files = [...MODEL.matchAll(/\b((?:core|store|trigger)\/[\w/-]+\.ts)\b/g)].map(([, file]) => file!);
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) expect(read(file), file).not.toBe('');
});
