import { describe, expect, it } from 'vitest';
import { completedPolicies, legible } from '../../../core/definition/legible';

const row = {
  scheduleId: 'nightly',
  version: 3,
  specError: null as string | null,
  spec: { cron: '0 2 * * *' },
  action: { type: 'startWorkflow', workflowType: 'report', taskQueue: 'reports' } as const,
  policies: {
    overlap: 'BUFFER_ONE',
    catchupWindow: 60_000,
    catchupLimit: 7,
    pauseOnFailure: true,
    onUncertain: 'START',
    preStart: false,
    maxConcurrent: 2,
  } as const,
};
/** The defaults of docs/defaults.md. */
const DEFAULT_POLICIES = {
  overlap: 'SKIP',
  catchupWindow: 31_557_600_000,
  catchupLimit: 100,
  pauseOnFailure: false,
  onUncertain: 'SKIP',
  preStart: true,
  maxConcurrent: null,
};
const NO_ACTION = { type: 'startWorkflow', workflowType: '', taskQueue: '' };
const NO_OBJECT: [string, unknown][] = [
  ['null', null],
  ['undefined', undefined],
  ['a number', 7],
  ['a text', 'hourly'],
  ['a list', []],
];

const read = (changes: object) => legible({ ...row, ...changes } as typeof row);

describe('a stored row that can be used', () => {
  it.each([null, 'no such zone'])('stays as it is, with the spec error %j', (specError) => {
    expect(read({ specError })).toStrictEqual({ ...row, specError, damaged: [] });
  });

  it('stays as it is, with fields that a newer program may have added', () => {
    const newer = { action: { ...row.action, colour: 'red' }, policies: { ...row.policies, mood: 'good' } };
    expect(read(newer)).toStrictEqual({ ...row, ...newer, damaged: [] });
  });
});

describe.each(NO_OBJECT)('a stored row with %s', (_, stored) => {
  it.each([
    ['spec', {}, 'the stored spec of the schedule is not an object'],
    ['action', NO_ACTION, 'the stored action of the schedule is not an object; register it again'],
    ['policies', DEFAULT_POLICIES, 'the stored policies of the schedule is not an object; register it again'],
  ])(
    'for its %s has a stand-in there, the rest as stored, and the damage as spec error',
    (part, standIn, specError) => {
      expect(read({ [part]: stored })).toStrictEqual({ ...row, [part]: standIn, specError, damaged: [part] });
    },
  );

  it('for all its parts has a stand-in for each, and the damage of the spec as spec error', () => {
    expect(read({ policies: stored, action: stored, spec: stored })).toStrictEqual({
      ...row,
      spec: {},
      action: NO_ACTION,
      policies: DEFAULT_POLICIES,
      specError: 'the stored spec of the schedule is not an object',
      damaged: ['spec', 'action', 'policies'],
    });
  });
});

describe('the spec error of a damaged row', () => {
  it('is the stored one, if there is one', () => {
    expect(read({ action: null, specError: 'cannot be used' }).specError).toBe('cannot be used');
  });

  it('is not added to a row that was read without one', () => {
    const { specError: _, ...without } = row;
    const damaged = legible({ ...without, action: null as never });
    expect(damaged).toStrictEqual({ ...without, action: NO_ACTION, damaged: ['action'] });
  });
});

describe('a stored row of a newer version', () => {
  it.each([
    ['policies', { ...row.policies, overlap: 'SOMEHOW' }],
    ['action', { ...row.action, taskQueue: { of: 'newer' } }],
  ])('has its %s as stored and no spec error, since a newer trigger may use it', (part, stored) => {
    expect(read({ [part]: stored })).toStrictEqual({ ...row, [part]: stored, damaged: [] });
  });

  it('has a spec error if its spec is damaged, and the rest as stored', () => {
    const policies = { ...row.policies, overlap: 'SOMEHOW' };
    const specError = 'the stored spec of the schedule is not an object';
    expect(read({ spec: null, policies })).toStrictEqual({ ...row, spec: {}, policies, specError, damaged: ['spec'] });
  });
});

describe('the policies that an update starts from', () => {
  const { action } = row;
  const from = (stored: object) => completedPolicies({ action, policies: row.policies, ...stored } as typeof row);

  it('are the stored ones, if firings can start by them', () => {
    expect(from({})).toStrictEqual(row.policies);
  });

  it('are the stored ones even without a limit, if firings can start by them', () => {
    const policies = { overlap: 'SKIP', catchupWindow: 60_000 };
    expect(from({ policies })).toStrictEqual(policies);
  });

  it.each<[string, object]>([
    ['some are missing', { pauseOnFailure: true }],
    ['some are of a newer version', { overlap: 'SOMEHOW', catchupLimit: 3, catchupWindow: 60_000 }],
    ['all are missing', {}],
  ])('have the default of each field that they lack, if nothing can fire by them: %s', (_, policies) => {
    expect(from({ policies })).toStrictEqual({ ...DEFAULT_POLICIES, ...policies });
  });

  it('are the defaults if none are stored', () => {
    expect(from({ policies: null })).toStrictEqual(DEFAULT_POLICIES);
  });

  it('have the default of a missing limit too if only the action is damaged: a missing limit is no "no limit"', () => {
    const policies = { overlap: 'ALLOW_ALL', catchupWindow: 60_000 };
    expect(from({ action: null, policies })).toStrictEqual({ ...DEFAULT_POLICIES, ...policies });
  });
});
