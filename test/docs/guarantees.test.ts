import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
// The native compiler has no API that reads sources yet.
import type TypeScript from '../../node_modules/@arethetypeswrong/core/node_modules/typescript';
import { typescript5 } from '../support/packed-project';

const ROOT = resolve(__dirname, '../..');
const ts: typeof TypeScript = require(typescript5());

/** Rows of the tables: what happens when, and what shows it. */
const rows = readFileSync(join(ROOT, 'docs/guarantees.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| (?!when |---)/.test(line));

it('every row of the guarantees names the tests that show it, each of which is there by that very name', () => {
  expect(rows.length).toBeGreaterThan(100);
  const problems = rows.flatMap((row) => {
    const shown = row.split(' | ').at(-1)!.replace(/ \|$/, '');
    if (!/^`test\/\S+` "[^"]+"(; `test\/\S+` "[^"]+")*$/.test(shown)) return [`names no test: ${row}`];
    return [...shown.matchAll(/`(test\/\S+)` "([^"]+)"/g)].flatMap(([, file, name]) =>
      testsIn(file!).has(name!) ? [] : [`${file} has no test "${name}"`],
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
