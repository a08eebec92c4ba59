import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SHOWN_BY } from './parity-shown-by';

const ROOT = resolve(__dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const PAGE = read('docs/parity.md');
/** What differs: a row of names, and what is said of them. */
const differences = [...PAGE.matchAll(/^\| (`[\w.]+`(?:, `[\w.]+`)*) \| (.+) \|$/gm)].flatMap(([, names, here]) =>
  namesIn(names!).map((name) => ({ name, here: here! })),
);
/** What is the same: a line of members for each type. */
const same = [...PAGE.matchAll(/^- `(\w+)`: (.+)$/gm)].flatMap(([, type, members]) =>
  namesIn(members!).map((member) => `${type}.${member}`),
);
const shown = Object.entries(SHOWN_BY).flatMap(([file, promises]) =>
  Object.entries(promises).flatMap(([promise, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => ({ name, file, promise })),
  ),
);

function namesIn(text: string): string[] {
  return [...text.matchAll(/`([\w.]+)`/g)].map(([, name]) => name!);
}

/** Temporal's declarations, without comments. */
function declarations(file: string): string {
  const folder = dirname(require.resolve('@temporalio/client'));
  return readFileSync(join(folder, file), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\/\/.*$/gm, '');
}
const TYPES = declarations('schedule-types.d.ts');
const CLIENT = declarations('schedule-client.d.ts');
const BASE = declarations('base-client.d.ts');

/** A declaration, up to the next one. */
function bodyOf(source: string, name: string): string {
  const start = source.search(new RegExp(`^export (declare )?(interface|type|class|const) ${name}\\b`, 'm'));
  expect(start, name).toBeGreaterThanOrEqual(0);
  return source.slice(start).split(/\n(?=export )/)[0]!;
}

/** Paths of the members of a declaration, those of objects in it too. */
function membersOf(source: string, name: string): string[] {
  const members: string[] = [];
  const parents: string[] = [];
  for (const line of bodyOf(source, name).split('\n').slice(1)) {
    const member = /^\s+(?:readonly |get )?(\w+)\??(?:<[^(]*>)?[:(]/.exec(line)?.[1];
    const hidden = /^\s+(?:protected|private) |constructor/.test(line);
    if (member && !hidden) members.push([...parents, member].join('.'));
    if (line.trimEnd().endsWith('{')) parents.push(member ?? '');
    if (/^\s*\}/.test(line)) parents.pop();
  }
  return members.filter((path) => !path.startsWith('.')).map((path) => `${name}.${path}`);
}

/** Fields that a declaration picks from another. */
function pickedBy(source: string, name: string): string[] {
  const picked = /Pick<\w+<\w+>, ([^>]+)>/.exec(bodyOf(source, name))![1]!;
  return [...picked.matchAll(/'(\w+)'/g)].map(([, field]) => `${name}.${field}`);
}

const ACTION = 'ScheduleOptionsStartWorkflowAction';
const DESCRIBED = 'ScheduleDescriptionStartWorkflowAction';
const expected = [
  ...[
    'ScheduleOptions',
    'ScheduleSummary',
    'ScheduleDescription',
    'ScheduleSpec',
    'CalendarSpec',
    'IntervalSpec',
    'Range',
  ]
    .concat('ScheduleExecutionResult', 'ScheduleExecutionStartWorkflowActionResult', 'Backfill', ACTION)
    .concat('ScheduleSummaryStartWorkflowAction', 'ScheduleOverlapPolicy')
    .flatMap((name) => membersOf(TYPES, name)),
  ...[ACTION, DESCRIBED].flatMap((name) => pickedBy(TYPES, name)),
  ...['ScheduleHandle', 'ScheduleClient', 'ScheduleClientOptions', 'ListScheduleOptions']
    .concat('ScheduleAlreadyRunning', 'ScheduleNotFoundError')
    .flatMap((name) => membersOf(CLIENT, name)),
  ...membersOf(BASE, 'BaseClientOptions'),
];

/** Of other modules, or whole. */
const BESIDES = ['ScheduleUpdateOptions', 'WorkflowInfo.lastResult', 'WorkflowInfo.lastFailure'];

describe('docs/parity.md', () => {
  it('has every field and method of Temporal’s ScheduleClient, once, and no other', () => {
    expect(expected.length).toBeGreaterThan(120);
    const named = [...differences.map(({ name }) => name), ...same];
    expect(named.sort()).toEqual([...expected, ...BESIDES].sort());
  });

  it('says of each that is left out why, and every other has a test that is there', () => {
    const leftOut = differences.filter(({ here }) => here.startsWith('left out'));
    for (const { name, here } of leftOut) expect(here, name).toMatch(/^left out: .{20,}/);
    const held = [...differences.filter((one) => !leftOut.includes(one)).map(({ name }) => name), ...same];
    expect(shown.map(({ name }) => name).sort()).toEqual(held.sort());
    for (const { name, file, promise } of shown) expect(read(file), `${name}: ${promise}`).toContain(promise);
  });

  it('has no line that is no row', () => {
    const rows = PAGE.split('\n').filter((line) => /^(\| `|- `)/.test(line));
    const read = rows.filter((line) => /^(\| (`[\w.]+`(, )?)+ \| .+ \||- `\w+`: (`[\w.]+`(, )?)+)$/.test(line));
    expect(rows).toEqual(read);
  });
});
