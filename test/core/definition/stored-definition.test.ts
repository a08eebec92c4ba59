import { describe, expect, it } from 'vitest';
import {
  canHandOver,
  isRecord,
  problemOfStored,
  readablePartOf,
  UnknownDefinitionError,
} from '../../../core/definition/stored-definition';
import { OVERLAP_POLICIES } from '../../../core/schedule/policies';

const ACTION = { type: 'startWorkflow', workflowType: 'nightlyReport', taskQueue: 'reports' } as const;
const POLICIES = {
  overlap: 'SKIP',
  catchupWindow: 86_400_000,
  catchupLimit: 100,
  pauseOnFailure: false,
  onUncertain: 'SKIP',
  preStart: true,
  maxConcurrent: null,
} as const;

type Part = 'action' | 'policies';

/** A stored definition that is right except for one field. */
function stored(part: Part, field: string, value: unknown) {
  const definition = { action: ACTION, policies: POLICIES };
  return { ...definition, [part]: { ...definition[part], [field]: value } };
}

const BOUND = [0, 2, 1.5, null, undefined];
const NO_BOUND = [-1, Number.NaN, Number.POSITIVE_INFINITY, '2', true, {}, []];
const AMOUNT = [0, 60_000, 0.5, undefined];
const NO_AMOUNT = [null, -1, Number.NaN, Number.POSITIVE_INFINITY, '60000', true, {}];
const FLAG = [true, false, undefined];
const NO_FLAG = ['true', 0, 1, null, {}];
const SIX = 'SKIP, BUFFER_ONE, BUFFER_ALL, CANCEL_OTHER, TERMINATE_OTHER, ALLOW_ALL';
const NAME = ['reports', ' '];
const NO_NAME = ['', undefined, null, 5, ['reports'], { of: 'newer' }];

/** What each field may be, what it may not be, and the words for it. A field that may be undefined may be absent. */
const FIELDS: [part: Part, field: string, known: readonly unknown[], unknown: readonly unknown[], what: string][] = [
  ['action', 'workflowType', NAME, NO_NAME, 'a text'],
  ['action', 'taskQueue', NAME, NO_NAME, 'a text'],
  ['action', 'workflowId', ['nightly', undefined], [5, null, {}, []], 'a text'],
  ['action', 'softTimeout', AMOUNT, NO_AMOUNT, 'a number from 0'],
  ['policies', 'overlap', OVERLAP_POLICIES, ['SOMEHOW', 'skip', '', undefined, null, 5], `one of ${SIX}`],
  ['policies', 'catchupWindow', [0, 10_000], [undefined, ...NO_AMOUNT], 'a number from 0'],
  ['policies', 'catchupLimit', BOUND, NO_BOUND, 'a number from 0, or null'],
  ['policies', 'pauseOnFailure', FLAG, NO_FLAG, 'true or false'],
  ['policies', 'onUncertain', ['SKIP', 'START', undefined], ['ASK', 'skip', '', null, 5], 'one of SKIP, START'],
  ['policies', 'preStart', [...FLAG, 0, 10_000], ['soon', null, -1, {}], 'true, false or a number from 0'],
  ['policies', 'maxConcurrent', BOUND, NO_BOUND, 'a number from 0, or null'],
  ['policies', 'parkedHolds', FLAG, NO_FLAG, 'true or false'],
  ['policies', 'parkedAtMost', AMOUNT, NO_AMOUNT, 'a number from 0'],
];
const NO_OBJECT = [undefined, null, 7, '{}', true, [], [{}]];

describe('a stored definition', () => {
  it('can be used if this version knows each field of it', () => {
    expect(problemOfStored({ action: ACTION, policies: POLICIES })).toBeUndefined();
  });

  it('can be used with fields that a newer program added', () => {
    expect(problemOfStored(stored('action', 'newer', { of: 'newer' }))).toBeUndefined();
    expect(problemOfStored(stored('policies', 'newer', 'SOMEHOW'))).toBeUndefined();
  });

  it.each(FIELDS)('can be used with each value that %s.%s may have', (part, field, known) => {
    for (const value of known) expect(problemOfStored(stored(part, field, value)), String(value)).toBeUndefined();
  });

  it.each(FIELDS)(
    'is left to others, with the reason, for a value of %s.%s that is unknown',
    (...[part, field, , unknown, what]) => {
      for (const value of unknown) {
        const problem = problemOfStored(stored(part, field, value));
        expect(problem, String(value)).toBeInstanceOf(UnknownDefinitionError);
        expect(problem!.message).toBe(
          `the stored ${part}.${field} is not ${what}, as this version knows it; upgrade the triggers, or register the schedule again`,
        );
      }
    },
  );

  it.each(['action', 'policies'] as const)('is of no use to any version if its %s is no object', (part) => {
    for (const value of NO_OBJECT) {
      const problem = problemOfStored({ action: ACTION, policies: POLICIES, [part]: value });
      expect(problem, String(value)).toBeInstanceOf(Error);
      expect(problem).not.toBeInstanceOf(UnknownDefinitionError);
      expect(problem!.message).toBe(`the stored ${part} of the schedule is not an object; register it again`);
    }
  });

  it('with several problems names the first, those of the action before those of the policies', () => {
    const both = { action: { ...ACTION, workflowType: '', taskQueue: '' }, policies: { overlap: 'SOMEHOW' } };
    expect(problemOfStored(both)!.message).toContain('action.workflowType');
    expect(problemOfStored({ ...both, action: ACTION })!.message).toContain('policies.overlap');
    expect(problemOfStored({ action: ACTION, policies: { overlap: 'SKIP' } })!.message).toContain('catchupWindow');
  });
});

describe('what a replaced definition has not answered', () => {
  const DECIDES = ['workflowId', 'catchupWindow', 'catchupLimit'];

  it('can be handed over if its definition can be used', () => {
    expect(canHandOver({ action: ACTION, policies: POLICIES })).toBe(true);
  });

  it.each(FIELDS.filter(([, field]) => DECIDES.includes(field)))(
    'cannot be handed over if %s.%s, which decides it, is unknown',
    (part, field, known, unknown) => {
      for (const value of known) expect(canHandOver(stored(part, field, value) as never), String(value)).toBe(true);
      for (const value of unknown) expect(canHandOver(stored(part, field, value) as never), String(value)).toBe(false);
    },
  );

  it.each(FIELDS.filter(([, field]) => !DECIDES.includes(field)))(
    'can be handed over if %s.%s, which does not decide it, is unknown',
    (part, field, _, unknown) => {
      for (const value of unknown) expect(canHandOver(stored(part, field, value) as never), String(value)).toBe(true);
    },
  );

  it.each(['action', 'policies'] as const)('cannot be handed over if its %s is no object', (part) => {
    for (const value of NO_OBJECT) {
      const definition = { action: ACTION, policies: POLICIES, [part]: value };
      expect(canHandOver(definition as never), String(value)).toBe(false);
    }
  });
});

describe('the readable part of a stored definition', () => {
  /** Names no workflow, ends and pauses nothing, and starts nothing early or twice. */
  const STAND_IN = {
    action: { type: 'startWorkflow', workflowType: '', taskQueue: '' },
    policies: {
      overlap: 'SKIP',
      catchupWindow: 365.25 * 24 * 60 * 60 * 1_000,
      catchupLimit: null,
      pauseOnFailure: false,
      onUncertain: 'SKIP',
      preStart: false,
      maxConcurrent: null,
    },
  };

  it('is all of it if each field is known', () => {
    const action = { ...ACTION, workflowId: 'nightly', softTimeout: 60_000 };
    const policies = {
      ...{ overlap: 'ALLOW_ALL', catchupWindow: 10_000, catchupLimit: 0, pauseOnFailure: true, onUncertain: 'START' },
      ...{ preStart: 5_000, maxConcurrent: 2, parkedHolds: false, parkedAtMost: 60_000 },
    };
    expect(readablePartOf({ action, policies })).toEqual({ action, policies });
  });

  it('is the stand-in if nothing of it is an object', () => {
    for (const value of NO_OBJECT) {
      expect(readablePartOf({ action: value, policies: value }), String(value)).toEqual(STAND_IN);
    }
  });

  it('is one of its halves if only the other is damaged', () => {
    const action = { ...STAND_IN.action, taskQueue: 'reports' };
    expect(readablePartOf({ action: { taskQueue: 'reports' }, policies: 7 })).toEqual({ ...STAND_IN, action });
    const policies = { ...STAND_IN.policies, overlap: 'ALLOW_ALL' };
    expect(readablePartOf({ action: [], policies: { overlap: 'ALLOW_ALL' } })).toEqual({ ...STAND_IN, policies });
  });

  it('lacks the fields that this version does not know', () => {
    const newer = { newer: 'SOMEHOW' };
    const definition = { action: { ...ACTION, ...newer }, policies: { ...POLICIES, ...newer } };
    expect(readablePartOf(definition)).toEqual({ action: ACTION, policies: POLICIES });
  });

  it.each(['constructor', 'toString', '__proto__'])(
    'lacks a field called %s, which is no field here though every object has it',
    (name) => {
      const [damaged, newer] = ['1', '["newer"]'].map((value) => JSON.parse(`{ "${name}": ${value} }`));
      expect(readablePartOf({ action: damaged, policies: newer })).toEqual(STAND_IN);
    },
  );

  it.each(FIELDS)(
    'has the stand-in for an unknown value of %s.%s, and the rest as stored',
    (part, field, _, unknown) => {
      const standIn: Record<string, unknown> = STAND_IN[part];
      for (const value of unknown) {
        const expected = { ...stored(part, field, undefined)[part], [field]: standIn[field] };
        expect(readablePartOf(stored(part, field, value))[part], String(value)).toEqual(expected);
      }
    },
  );
});

it.each([
  [{}, true],
  [{ a: 1 }, true],
  [null, false],
  [undefined, false],
  [[], false],
  ['text', false],
  [7, false],
  [() => 7, false],
])('%s is a record: %s', (value, is) => {
  expect(isRecord(value)).toBe(is);
});
