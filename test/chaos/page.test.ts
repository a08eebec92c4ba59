import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { VIOLATIONS } from '../../chaos/check/facts';
import { NEMESES } from '../../chaos/nemesis';
import { jsonOf, PAGE, type RecordedRun, recordedResults, withCounts } from '../../chaos/page';

const page = readFileSync(PAGE, 'utf8');

it('every count on the page of reliability is that of a recorded run', () => {
  expect(withCounts(page, recordedResults())).toBe(page);
});

/** The first recorded run with other values, as the page shows it. */
const shown = (...changes: Partial<RecordedRun>[]) =>
  withCounts(
    page,
    changes.map((change) => ({ ...recordedResults()[0]!, ...change })),
  );

it('times of recovered starts are pooled over all runs, and say so if only some runs recorded them', () => {
  const [one, other] = [[100, 2_000], [300]].map((recoveredMilliseconds) => ({
    faults: [{ name: 'kill', times: 2, recoveredMilliseconds }],
  }));
  expect(shown(one!, other!)).toContain('| kill | 4 | 3 | 300 ms | 2,000 ms |');
  const without = { faults: [{ name: 'kill', times: 1 }] };
  expect(shown(one!, without)).toContain('| kill | 3 | not recorded |  |  |');
  expect(shown(without)).toContain('\n| kill | 1 |\n');
  expect(shown({ faults: [{ name: 'kill', times: 1, recoveredMilliseconds: [] }] })).toContain(
    '| kill | 1 | 0 |  |  |',
  );
});

it('a zero of violations says in how many things it was looked for', () => {
  const checked = Object.fromEntries(VIOLATIONS.map((kind) => [kind, 700])) as RecordedRun['checked'];
  const run = { checked, events: { redrives: 40 } };
  expect(shown(run, run)).toContain('| alert not delivered | 0 | 1,400 messages |');
  expect(shown(run, run)).toContain('\n- redrives: 80\n');
  expect(shown(run, { checked: undefined })).toContain('| alert not delivered | 0 | not recorded |');
  expect(shown({ checked: undefined })).toContain('\n| alert not delivered | 0 |\n');
});

it('says how many schedules the runs had, and on how many commits they ran', () => {
  const [one, other] = ['aaaa', 'bbbb'].map((commit) => ({ schedules: 63, versions: { commit } }));
  expect(shown(one!, one!)).toContain('2 runs of 63 schedules each, 12 minutes in all, on one commit:');
  expect(shown(one!, { ...other!, schedules: 156 })).toContain(
    '2 runs of 63 to 156 schedules each, 12 minutes in all, on 2 commits:',
  );
});

it('a result is stored with each list of numbers on one line', () => {
  const result = { times: [1, 20, 300], texts: ['a', 'b'], none: [] };
  expect(jsonOf(result)).toContain('"times": [1,20,300],\n');
  expect(JSON.parse(jsonOf(result))).toEqual(result);
});

it('the page says of each kind of fault what it does', () => {
  const told = [...page.matchAll(/^\| ([a-z ]+) \| .*\|$/gm)].map(([, name]) => name);
  expect(NEMESES.map(({ name }) => name).filter((name) => !told.includes(name))).toEqual([]);
});
