import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder';
import { runNode } from '../support/processes/child';

const schedule = (scheduleId: string) => `{ scheduleId: '${scheduleId}', spec: {}, action: {} }`;
const [a, b] = [schedule('a'), schedule('b')];

/** Run the reader of the command in another process: the IDs in each file, or its problem. */
async function readAll(files: [name: string, content: string][]): Promise<(string[] | string)[]> {
  const folder = await temporaryFolder();
  const paths: string[] = [];
  for (const [index, [name, content]] of files.entries()) {
    await mkdir(join(folder, String(index)));
    paths.push(join(folder, String(index), name));
    await writeFile(paths[index]!, content);
  }
  const script = `const { readSchedules } = require('./dist/cli/schedule/read-schedules.js');
    (async () => {
      for (const path of process.argv.slice(1)) {
        const read = await readSchedules(path).then((list) => list.map((one) => one.scheduleId), (error) => error.message);
        console.log(JSON.stringify(read));
      }
    })();`;
  const child = runNode(['-e', script, ...paths], {}, resolve(__dirname, '../..'));
  await child.ended();
  expect(child.errors).toEqual([]);
  return child.output.map((line) => JSON.parse(line));
}

it('every schedule that a module exports is read, once, however deep it lies', async () => {
  const files: [string, string][] = [
    ['named.mjs', `export const a = ${a}; export default [a, ${b}]; export const QUEUE = 'q'; export class Other {}`],
    ['common.cjs', `exports.a = ${a}; exports.list = [exports.a, ${b}]; exports.f = () => 1;`],
    ['list.js', `module.exports = [${a}, ${b}];`],
    [
      'nested.mjs',
      `const byTeam = { emea: { a: ${a}, one: () => 1 } }; export { byTeam }; export const list = [[${b}]];`,
    ],
    [
      'maps.mjs',
      `export const map = new Map([['a', ${a}]]); export const set = new Set([${b}]); export const none = [];`,
    ],
    ['promised.mjs', `export default Promise.resolve({ list: Promise.resolve([${a}, ${b}]) });`],
    ['whole.mjs', `export * as self from './whole.mjs'; export const list = [${a}, ${b}];`],
    ['typed.ts', `enum Id { A = 'a' } const a: object = ${a}; export const all = { [Id.A]: a, b: ${b} };`],
    ['typed.mts', `export const all = [${a}, ${b}] as object[];`],
    ['none.mjs', 'export const schedules = new Map();'],
  ];
  const both = ['a', 'b'];
  expect(await readAll(files)).toEqual([...files.slice(1).map(() => both), []]);
});

it('an export that holds something else is refused by its name, since prune would delete what was overlooked', async () => {
  const refusals: [string, string, RegExp][] = [
    ['a.json', '{', /cannot be read as JSON/],
    ['a.json', '{}', /holds no list of schedules/],
    ['a.mjs', 'export const other = 1;', /exports no schedule/],
    ['a.mjs', 'throw new Error("boom")', /cannot be loaded as a module \(boom\)/],
    [
      'a.mjs',
      `export const a = ${a}; export const limits = { perTenant: { starts: 3 } };`,
      /'limits.perTenant.starts'/,
    ],
    ['a.mjs', `export const list = [${a}, false];`, /export 'list\[1\]' of '.*' is not a schedule/],
    ['a.mjs', `export const map = new Map([["b", 1], ["a", ${a}]]);`, /export 'map\[b\]' of '.*' is not a schedule/],
    ['a.mjs', 'export const client = new (class Client {})();', /is of the class Client, and no schedule/],
    ['a.mjs', 'export default () => [];', /export 'default' of '.*' is a function; export what it returns/],
    ['a.mjs', 'export const a = Promise.reject(new Error("boom"));', /was rejected \(boom\)/],
    ['a.cjs', `module.exports = { a: ${a}, other: { deep: [1] } };`, /export 'other.deep\[0\]' of/],
    ['a.ts', 'export const a = ;', /cannot be loaded as a module/],
  ];
  const read = await readAll(refusals.map(([name, content]) => [name, content]));
  expect(read).toEqual(refusals.map(([, , problem]) => expect.stringMatching(problem)));
});
