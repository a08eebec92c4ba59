import { describe, expect, it } from 'vitest';
import { alertRules, type ScheduleAlerts, storedRules } from '../../../core/alert-rules';
import { problemsOf } from '../../../core/options';

const TIMES = ['late', 'notDone', 'runningLong', 'parked'] as const;
const IN_A_ROW = ['failing', 'skipped'] as const;

describe.each(TIMES)('the rule %s', (rule) => {
  it.each<[string, unknown]>([
    ['may be never', false],
    ['may be five seconds', 5_000],
    ['may be five seconds as a text', '5 seconds'],
    ['may be a day', '1 day'],
    ['may be a hundred years', '100 years'],
    ['may be left to the ledger', undefined],
  ])('%s', (_, value) => {
    expect(problemsOf(alertRules, { [rule]: value })).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['just under five seconds', 4_999],
    ['a second', '1 second'],
  ])('is not %s, since that is shorter than a rule may be', (_, value) => {
    const problem = 'is shorter than five seconds, the shortest that a rule may be';
    expect(problemsOf(alertRules, { [rule]: value })).toEqual([{ path: rule, problem }]);
  });

  it.each<[string, unknown]>([
    ['always', true],
    ['0', 0],
    ['below 0', '-1 hour'],
    ['a text without a number', 'soon'],
    ['longer than a hundred years', '101 years'],
    ['null', null],
  ])('is not %s', (_, value) => {
    expect(problemsOf(alertRules, { [rule]: value })).toEqual([
      { path: rule, problem: 'is neither a duration nor false' },
    ]);
  });
});

describe.each(IN_A_ROW)('the rule %s', (rule) => {
  it.each<unknown>([false, 1, 2, 100, undefined])('may be %s', (value) => {
    expect(problemsOf(alertRules, { [rule]: value })).toEqual([]);
  });

  it.each<unknown>([0, 101, 1.5, -1, '3', true, null])('is not %j', (value) => {
    expect(problemsOf(alertRules, { [rule]: value })).toEqual([
      { path: rule, problem: 'is neither a whole number from 1 to 100 nor false' },
    ]);
  });
});

describe('the rule startedOften', () => {
  it.each<unknown>([false, 1, 10, 10_000, undefined])('may be %s', (startedOften) => {
    expect(problemsOf(alertRules, { startedOften })).toEqual([]);
  });

  it.each<unknown>([0, 10_001, 1.5, -1, '10', true, null])('is not %j', (startedOften) => {
    const problem = 'is neither a whole number from 1 to 10,000 nor false';
    expect(problemsOf(alertRules, { startedOften })).toEqual([{ path: 'startedOften', problem }]);
  });
});

describe('the rule resolvedAfter', () => {
  it.each<unknown>([1, 2, 100, undefined])('may be %s', (resolvedAfter) => {
    expect(problemsOf(alertRules, { resolvedAfter })).toEqual([]);
  });

  it.each<[unknown, string]>([
    [0, '0: Too small'],
    [101, '101: Too big'],
    [1.5, '1.5 is not a whole number'],
    [false, 'false is no number'],
  ])('is not %j, since an alert must end at some time', (resolvedAfter, problem) => {
    const wrong = { path: 'resolvedAfter', problem: expect.stringContaining(problem) };
    expect(problemsOf(alertRules, { resolvedAfter })).toEqual([wrong]);
  });
});

it('there are no other rules', () => {
  const [wrong] = problemsOf(alertRules, { missed: 3 });
  const rules = 'late, notDone, runningLong, failing, skipped, startedOften, parked, resolvedAfter';
  expect(wrong).toEqual({ path: 'missed', problem: expect.stringContaining(`is not a field here; ${rules} are`) });
});

describe('stored rules', () => {
  it.each<[string, ScheduleAlerts | undefined, object | undefined]>([
    ['have times in milliseconds', { late: '5 minutes', parked: '1 hour' }, { late: 300_000, parked: 3_600_000 }],
    ['have times that were given so', { notDone: 7_200_000 }, { notDone: 7_200_000 }],
    [
      'have false for each rule that shall never open an alert',
      { late: false, notDone: false, runningLong: false, parked: false, failing: false, skipped: false },
      { late: false, notDone: false, runningLong: false, parked: false, failing: false, skipped: false },
    ],
    [
      'have counts as they are',
      { failing: 1, skipped: 2, startedOften: 100, resolvedAfter: 3 },
      { failing: 1, skipped: 2, startedOften: 100, resolvedAfter: 3 },
    ],
    [
      'have only rules that were given',
      { late: undefined, runningLong: '90 minutes' } as never,
      { runningLong: 5_400_000 },
    ],
    ['are none if no rule was given', {}, undefined],
    ['are none if each rule was given as undefined', { late: undefined, failing: undefined } as never, undefined],
    ['are none without rules', undefined, undefined],
  ])('%s', (_, rules, expected) => {
    expect(storedRules(rules)).toStrictEqual(expected);
  });
});
