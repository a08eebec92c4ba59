import { describe, expect, it } from 'vitest';
import { allProblems } from '../../../core/definition/all-problems';
import { parseScheduleOptions } from '../../../core/definition/parse';
import { InvalidOptionError, InvalidScheduleError } from '../../../core/errors';

type Options = Record<string, unknown>;

const action = { type: 'startWorkflow', workflowType: 'report', taskQueue: 'reports' };
const valid: Options = { scheduleId: 'nightly', spec: { cron: '0 2 * * *' }, action };

const parse = (options: never) => parseScheduleOptions(options, 'default');
const problemsOf = (changes: Options) => allProblems({ ...valid, ...changes }, parse);
const pathsOf = (changes: Options) => problemsOf(changes).map(({ path }) => path);
const isBad = (path: string) => ({ path, problem: 'is bad' });

/** A parse that finds the given problems, one in each call, and keeps the options of each call. */
function finding(...paths: string[]) {
  const seen: unknown[] = [];
  const left = [...paths];
  const find = (options: unknown) => {
    seen.push(structuredClone(options));
    const path = left.shift();
    if (path !== undefined) throw new InvalidOptionError(path, 'is bad');
  };
  return { seen, find };
}

describe('the problems of a schedule', () => {
  it('are none if it is valid', () => {
    expect(problemsOf({})).toEqual([]);
  });

  it('have the path and the problem that create would name', () => {
    const catchupWindow = '5s';
    const problem = '5s is too short; it is at least 10 seconds';
    expect(problemsOf({ policies: { catchupWindow } })).toEqual([{ path: 'policies.catchupWindow', problem }]);
  });

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a text', 'x'],
    ['a number', 5],
    ['a list', []],
  ])('are a single one for %s, which is no schedule', (_, options) => {
    expect(allProblems(options, parse).map(({ path }) => path)).toEqual(['options']);
  });

  it('are those of all required fields of an empty object', () => {
    expect(allProblems({}, parse).map(({ path }) => path)).toEqual(['scheduleId', 'spec', 'action']);
  });

  it('are found in every part, unknown fields first', () => {
    const given = {
      scheduleId: '',
      polices: {},
      spec: { cron: '* * * *' },
      action: { ...action, taskQueue: '', softTimeout: 'soon' },
      policies: { overlap: 'SKIPP', catchupWindow: '5s', parkedAtMost: '5s' },
      state: { paused: 'yes' },
    };
    expect(pathsOf(given)).toEqual([
      'polices',
      'scheduleId',
      'action.taskQueue',
      'policies.overlap',
      'state.paused',
      'spec.cron',
      'action.softTimeout',
      'policies.catchupWindow',
      'policies.parkedAtMost',
    ]);
  });

  const later = { policies: { catchupWindow: '5s' } };
  it.each<[string, unknown]>([
    ['scheduleId', ''],
    ['scheduleId', undefined],
    ['spec', 5],
    ['spec', null],
    ['action', null],
    ['action', []],
    ['tenant', 5],
    ['tenant', undefined],
    ['owner', 5],
  ])('are found after a bad %s as well: %j', (field, value) => {
    expect(pathsOf({ ...later, [field]: value })).toEqual([field, 'policies.catchupWindow']);
  });

  it.each(['scheduleId', 'spec', 'action'])('are found without a %s as well', (field) => {
    const { [field]: _, ...rest }: Options = { ...valid, ...later };
    expect(allProblems(rest, parse)).toMatchObject([
      { path: field, problem: 'is missing' },
      { path: 'policies.catchupWindow' },
    ]);
  });

  it.each([
    ['type', 'startActivity'],
    ['workflowType', ''],
    ['taskQueue', ''],
    ['workflowId', ''],
  ])('of an action are found after its bad %s as well', (field, value) => {
    const bad = { ...action, [field]: value, softTimeout: 'soon' };
    expect(pathsOf({ action: bad })).toEqual([`action.${field}`, 'action.softTimeout']);
  });

  it.each(['type', 'workflowType', 'taskQueue'])('of an action are found without its %s as well', (field) => {
    const { [field]: _, ...rest }: Options = action;
    const missing = { path: `action.${field}`, problem: 'is missing' };
    const later = { path: 'action.softTimeout', problem: expect.stringContaining('soon') };
    expect(problemsOf({ action: { ...rest, softTimeout: 'soon' } })).toEqual([missing, later]);
  });

  it('of a list hide the others of that list only', () => {
    const spec = { cron: '* * * *', calendars: [{ hour: 98 }, { hour: 99 }] };
    expect(pathsOf({ ...later, spec })).toEqual(['spec.calendars[0].hour', 'spec.cron', 'policies.catchupWindow']);
  });

  it('of a memo are found by each key, one with a bracket too', () => {
    const call = () => 1;
    expect(pathsOf({ memo: { 'a]b': call, 'c]': call, d: { e: call } } })).toEqual(['memo.a]b', 'memo.c]', 'memo.d.e']);
  });

  it('leave the given options as they are', () => {
    const given = { ...valid, scheduleId: '', action: { ...action, retry: { initialInterval: 'often' } } };
    const before = structuredClone(given);
    expect(allProblems(given, parse)).toHaveLength(2);
    expect(given).toStrictEqual(before);
  });
});

describe('at most 100 problems', () => {
  const unknown = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, 1]));

  it.each([
    [98, 100],
    [99, 100],
    [100, 100],
    [150, 100],
  ])('are shown of %i unknown fields and two bad ones', (count, shown) => {
    const bad = { spec: { cron: '* * * *' }, policies: { catchupWindow: '5s' } };
    const paths = pathsOf({ ...unknown(count), ...bad });
    expect(paths).toHaveLength(shown);
    expect(paths.slice(0, 98)).toEqual(Object.keys(unknown(98)));
    expect(paths.includes('spec.cron')).toBe(count < 100);
  });
});

describe('after a problem, parse is called again', () => {
  const policies = { overlap: 'SKIP', catchupLimit: 1 };
  const standIn = { type: 'startWorkflow', workflowType: 'workflow', taskQueue: 'queue' };
  it.each<[string, string, Options, Options]>([
    ['without the field', 'owner', { owner: 'ops' }, {}],
    ['without the field in its part', 'policies.overlap', { policies }, { policies: { catchupLimit: 1 } }],
    ['without the part, if it lacks the field', 'policies.maxConcurrent', { policies }, {}],
    ['without the list', 'spec.at[1]', { spec: { at: [1, 2], cron: 'x' } }, { spec: { cron: 'x' } }],
    ['without the list of a deeper field', 'memo.a[0].b', { memo: { a: [{ b: 1 }], c: 1 } }, { memo: { c: 1 } }],
    ['without a text', 'info.0', { info: 'text' }, {}],
    ['without a null', 'info.reason', { info: null }, {}],
    ['without a number', 'info.0', { info: 5 }, {}],
    ['with a stand-in for the ID', 'scheduleId', {}, { scheduleId: 'schedule' }],
    ['with a stand-in for the spec', 'spec', {}, { spec: {} }],
    ['with a stand-in for the spec, if it lacks the field', 'spec.jitter', {}, { spec: {} }],
    ['with a stand-in for the action', 'action', {}, { action: standIn }],
    ['with a stand-in for the action, if it lacks the field', 'action.memo', {}, { action: standIn }],
    [
      'with a stand-in for the workflow',
      'action.workflowType',
      {},
      { action: { ...action, workflowType: 'workflow' } },
    ],
    ['with a stand-in for the queue', 'action.taskQueue', {}, { action: { ...action, taskQueue: 'queue' } }],
  ])('%s', (_, path, given, left) => {
    const { seen, find } = finding(path);
    expect(allProblems({ ...valid, ...given }, find)).toEqual([isBad(path)]);
    expect(seen).toStrictEqual([
      { ...valid, ...given },
      { ...valid, ...left },
    ]);
  });

  it('only as long as something can be left out', () => {
    for (const path of ['owner', 'scheduleIds.of', 'options', '']) {
      const { seen, find } = finding(path, 'policies');
      expect(allProblems(valid, find)).toEqual([isBad(path)]);
      expect(seen).toHaveLength(1);
    }
  });

  it.each(['scheduleId', 'action.taskQueue', 'spec'])('but not for ever, if the stand-in for %s is bad too', (path) => {
    const find = () => {
      throw new InvalidScheduleError(path, 'is bad');
    };
    expect(allProblems(valid, find)).toEqual([isBad(path)]);
  });

  it('and shows only the first problem of a path', () => {
    const { find } = finding('owner', 'policies.overlap', 'policies', 'owner');
    const given = { ...valid, owner: 'ops', policies };
    expect(allProblems(given, find)).toEqual([isBad('owner'), isBad('policies.overlap'), isBad('policies')]);
    const again = finding('policies.overlap', 'policies.overlap', 'owner');
    expect(allProblems(given, again.find)).toEqual([isBad('policies.overlap'), isBad('owner')]);
    const shape = finding('owner', 'scheduleId');
    expect(allProblems({ ...valid, owner: 5 }, shape.find)).toMatchObject([{ path: 'owner', problem: '5 is no text' }]);
  });
});

it('another error of parse is no problem of the options, and is thrown', () => {
  const broken = () => {
    throw new RangeError('the program is wrong');
  };
  expect(() => allProblems(valid, broken)).toThrow(RangeError);
});
