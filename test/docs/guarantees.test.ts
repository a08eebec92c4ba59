import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
// The native compiler has no API that reads sources yet.
import type TypeScript from '../../node_modules/@arethetypeswrong/core/node_modules/typescript';
import { typescript5 } from '../support/packages/packed-project';

const ROOT = resolve(__dirname, '../..');
const ts: typeof TypeScript = require(typescript5());

/** Numbers of the lines of the tables. */
const lines = [
  ...readFileSync(join(ROOT, 'docs/guarantees.md'), 'utf8').matchAll(/^\| ([A-Z]\d+) \| .+ \| .+ \|$/gm),
].map(([, number]) => number!);
const shown: Record<string, { file: string; test: string }[]> = JSON.parse(
  readFileSync(join(ROOT, 'docs/guarantees.json'), 'utf8'),
);

it('every line of the guarantees names the tests that show it, each of which is there by that very name', () => {
  expect(lines.length).toBeGreaterThan(100);
  expect(lines).toEqual(Object.keys(shown));
  const problems = Object.entries(shown).flatMap(([number, tests]) => {
    if (tests.length === 0) return [`${number} names no test`];
    return tests.flatMap(({ file, test }) =>
      testsIn(file).has(test) ? [] : [`${number}: ${file} has no test "${test}"`],
    );
  });
  expect(problems).toEqual([]);
});

it.each([
  [`it('one', () => {});`, ['one']],
  [`it.each([1])('of %s', { timeout: 1 }, () => {});`, ['of %s']],
  [`describe('group', () => { test("two", () => {}); });`, ['two']],
  [`const ALL = { 'a promise': 1 }; for (const [name] of Object.entries(ALL)) it(name, () => {});`, ['a promise']],
  [`it.skip('never', () => {}); it.todo('not yet'); // it('said', () => {})`, []],
])('the tests of %j are found', (source, names) => {
  expect([...testsOf(source)]).toEqual(names);
});

const known = new Map<string, Set<string>>();

function testsIn(file: string): Set<string> {
  const names = known.get(file) ?? testsOf(readFileSync(join(ROOT, file), 'utf8'));
  known.set(file, names);
  return names;
}

/** Names of the tests that a source runs. */
function testsOf(source: string): Set<string> {
  const names = new Set<string>();
  const keys: string[] = [];
  let isByKeys = false;
  const visit = (node: TypeScript.Node): void => {
    if (ts.isCallExpression(node)) {
      const [name] = node.arguments;
      const callee = node.expression.getText();
      const runs = /^(?:it|test)\b/.test(callee) && !/\.(?:skip|todo|skipIf|runIf|fails)\b/.test(callee);
      if (runs && name && ts.isStringLiteralLike(name)) names.add(name.text);
      if (runs && name && ts.isIdentifier(name)) isByKeys = true;
    }
    if (ts.isPropertyAssignment(node) && ts.isStringLiteral(node.name)) keys.push(node.name.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('test.ts', source, ts.ScriptTarget.ES2022, true));
  // A test for each entry of an object, named by its key.
  if (isByKeys) for (const key of keys) names.add(key);
  return names;
}
