import { describe, expect, it } from 'vitest';
import { parseScheduleOptions } from '../../../core/definition/parse';
import { InvalidScheduleError } from '../../../core/errors';
import type { ScheduleOptions } from '../../../core/schedule/options';

/** Every field of create with valid values, so that a wrong value is only refused for itself. */
const valid = {
  scheduleId: 'nightly',
  namespace: 'reports',
  tenant: 'acme',
  memo: { team: 'billing' },
  searchAttributes: { Team: ['billing'] },
  typedSearchAttributes: [{ key: { name: 'Region', type: 'KEYWORD' }, value: 'emea' }],
  spec: {
    cron: '0 2 * * *',
    dst: 'ONCE',
    at: [new Date('2099-01-01T00:00:00Z')],
    cronExpressions: ['0 3 * * *'],
    calendars: [
      { second: 0, minute: 0, hour: 4, dayOfMonth: 1, month: 'JUNE', year: 2030, dayOfWeek: 'MONDAY', comment: 'x' },
    ],
    intervals: [
      { every: '1 hour', offset: '1 minute' },
      { every: '1 day', anchor: new Date(0) },
    ],
    skip: [{ hour: 4 }],
    startAt: new Date('2026-01-01T00:00:00Z'),
    endAt: new Date('2099-01-01T00:00:00Z'),
    jitter: '5 seconds',
    timezone: 'Europe/Berlin',
  },
  action: {
    type: 'startWorkflow',
    workflowType: 'nightlyReport',
    taskQueue: 'reports',
    workflowId: 'report',
    args: ['emea'],
    memo: { owner: 'finance' },
    searchAttributes: { Owner: ['finance'] },
    typedSearchAttributes: [{ key: { name: 'Day', type: 'DATETIME' }, value: new Date(0) }],
    staticSummary: 'nightly',
    staticDetails: 'details',
    priority: { priorityKey: 1, fairnessKey: 'a', fairnessWeight: 1 },
    retry: {
      initialInterval: '1s',
      maximumInterval: '1m',
      backoffCoefficient: 2,
      maximumAttempts: 3,
      nonRetryableErrorTypes: ['Bad'],
    },
    workflowExecutionTimeout: '1 day',
    workflowRunTimeout: '1 hour',
    workflowTaskTimeout: '10s',
    softTimeout: '10 minutes',
  },
  policies: {
    overlap: 'SKIP',
    catchupWindow: '1 day',
    catchupLimit: 3,
    pauseOnFailure: true,
    onUncertain: 'SKIP',
    preStart: false,
    maxConcurrent: 2,
    parkedHolds: false,
    parkedAtMost: '3 days',
    alerts: {
      late: '1 minute',
      notDone: '2 hours',
      runningLong: false,
      failing: 5,
      skipped: false,
      parked: '1 hour',
      resolvedAfter: 2,
    },
  },
  state: {
    paused: true,
    note: 'why',
    remainingActions: 3,
    triggerImmediately: true,
    backfill: [{ start: new Date(0), end: new Date(1), overlap: 'SKIP' }],
  },
};

const NUL = 'a\u0000b';
const HALF = 'a\ud800';
const text = [5, null, {}, NUL, HALF];
const name = [...text, '', 'x'.repeat(1_001)];
const flag = ['yes', 1, null];
const duration = ['soon', '', -1, Number.NaN, {}, '200 years', true];
const count = [-1, 1.5, '3', Number.NaN];
const instant = ['yesterday', 5, {}, new Date(Number.NaN)];
const object = [5, 'x', null, []];
const attributes = [
  5,
  'x',
  [1],
  { Bad: 'x' },
  { Bad: [{}] },
  { Bad: ['a', 1] },
  { Bad: [NUL] },
  { Bad: [new Date('0000-01-01T00:00:00Z')] },
  { '': ['x'] },
];
const pairs = [5, {}, [5], [{ key: { name: 'Bad', type: 'WRONG' }, value: 1 }]];
const badPairs = [
  [{ key: { name: 'Bad', type: 'INT' }, value: 'x' }],
  [{ key: { name: 'Bad', type: 'DATETIME' }, value: 'x' }],
  [{ key: { name: 'Bad', type: 'DATETIME' }, value: '2026-02-30T00:00:00Z' }],
  [{ key: { name: 'Bad', type: 'DATETIME' }, value: '2026-02-03T00:00:00' }],
  [{ key: { name: 'Bad', type: 'DATETIME' }, value: '2026-02-03T25:00:00Z' }],
  [{ key: { name: 'Bad', type: 'DATETIME' }, value: '0000-01-01T00:00:00Z' }],
  [{ key: { name: 'Bad', type: 'DATETIME' }, value: new Date('+010000-01-01T00:00:00Z') }],
  [{ key: { name: 'Bad', type: 'KEYWORD' }, value: null }],
  [{ key: { name: 'TemporalScheduledById', type: 'KEYWORD' }, value: 'x' }],
];
/** `null` is missing, as in JSON. */
const range = [99_999, 'x', {}, { start: 99_999 }, { start: 'x' }];

/** Wrong values for every field. The refused path must be that of the field, or below it. */
const wrong: Record<string, unknown[]> = {
  scheduleId: [...text, '', '.', '..', 'x'.repeat(256), '€'.repeat(86), 'a\nb'],
  namespace: [...text, '', 'a b', 'x'],
  tenant: text,
  memo: [...object, { [NUL]: 1 }],
  searchAttributes: attributes,
  typedSearchAttributes: [...pairs, ...badPairs],
  spec: object,
  'spec.cron': ['* * * *', 5, '0 0 W * *', ['x'], `0 2 * * *${NUL}`],
  'spec.dst': ['TWICE', 5],
  'spec.at': [...instant, [new Date('2026-01-01T00:00:00.5Z')]],
  'spec.cronExpressions': ['* * * *', ['* * *'], [5], 5, [`0 2 * * * # ${NUL}`]],
  'spec.calendars': [5, 'x', [5], [{ hours: 1 }]],
  'spec.calendars.0.second': range,
  'spec.calendars.0.minute': range,
  'spec.calendars.0.hour': range,
  'spec.calendars.0.dayOfMonth': range,
  'spec.calendars.0.month': [...range, 'JUN'],
  'spec.calendars.0.year': range.slice(1),
  'spec.calendars.0.dayOfWeek': [...range, 'MON'],
  'spec.calendars.0.comment': [5, {}, NUL, HALF, 'x'.repeat(201)],
  'spec.intervals': [5, 'x', [5], [{}], [{ each: 5 }]],
  'spec.intervals.0.every': [...duration.filter((value) => value !== '200 years'), 0, 500],
  'spec.intervals.0.offset': ['soon', {}, '2 hours', -1],
  'spec.intervals.1.anchor': instant,
  'spec.skip': [5, 'x', [5], [{ hours: 1 }]],
  'spec.startAt': instant,
  'spec.endAt': instant,
  'spec.jitter': ['soon', -1, {}],
  'spec.timezone': ['Mars/Olympus', 5, {}],
  action: object,
  'action.type': ['startActivity', 5, null],
  'action.workflowType': [...name, () => {}],
  'action.taskQueue': name,
  'action.workflowId': name,
  'action.args': [5, 'x', {}, null],
  'action.memo': [...object, { escapement: 1 }, { [HALF]: 1 }],
  'action.searchAttributes': attributes,
  'action.typedSearchAttributes': [...pairs, ...badPairs],
  'action.staticSummary': text,
  'action.staticDetails': text,
  'action.priority': [...object, { priority: 1 }],
  'action.priority.priorityKey': [...count, 2 ** 31],
  'action.priority.fairnessKey': [...text, 'x'.repeat(65)],
  'action.priority.fairnessWeight': [-1, 'x', Number.NaN],
  'action.retry': [...object, { attempts: 1 }],
  'action.retry.initialInterval': [...duration, 0],
  'action.retry.maximumInterval': [...duration, 0, '1ms'],
  'action.retry.backoffCoefficient': [0.5, -1, 'x'],
  'action.retry.maximumAttempts': [...count, 2 ** 31],
  'action.retry.nonRetryableErrorTypes': ['x', [5], [NUL]],
  'action.workflowExecutionTimeout': duration,
  'action.workflowRunTimeout': duration,
  'action.workflowTaskTimeout': duration,
  'action.softTimeout': [...duration, 0],
  policies: object,
  'policies.overlap': ['SKIPP', 'skip', 5, null],
  'policies.catchupWindow': [...duration, '5s'],
  'policies.catchupLimit': count,
  'policies.pauseOnFailure': flag,
  'policies.onUncertain': ['MAYBE', 5, null],
  'policies.preStart': ['soon', 0, -1, '11 minutes', null, {}],
  'policies.maxConcurrent': [...count, 0, 2 ** 31],
  'policies.parkedHolds': flag,
  'policies.parkedAtMost': [...duration, 0, '59s'],
  'policies.alerts': object,
  'policies.alerts.late': [...duration, true, '4s'],
  'policies.alerts.notDone': [...duration, 0, '4s'],
  'policies.alerts.runningLong': [...duration, true],
  'policies.alerts.failing': [0, 101, 1.5, '3', true, null],
  'policies.alerts.skipped': [0, 101, 1.5, '3', true, null],
  'policies.alerts.parked': [...duration, true],
  'policies.alerts.resolvedAfter': [0, 101, false, '1', null],
  state: object,
  'state.paused': flag,
  'state.note': text,
  'state.remainingActions': [...count, 2 ** 31],
  'state.triggerImmediately': flag,
  'state.backfill': [5, 'x', [5], [{ from: 1 }]],
};

function changed(path: string, value: unknown): ScheduleOptions {
  const options: Record<string, unknown> = structuredClone(valid);
  const keys = path.split('.');
  let target = options;
  for (const key of keys.slice(0, -1)) target = target[key] as Record<string, unknown>;
  target[keys.at(-1)!] = value;
  return options as never;
}

function refused(options: ScheduleOptions): InvalidScheduleError {
  try {
    parseScheduleOptions(options, 'default');
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidScheduleError);
    return error as InvalidScheduleError;
  }
  return expect.unreachable('was not refused');
}

/** Paths of an object's fields, of lists those of the first item; values of the user's own are no fields. */
function paths(value: unknown, parent = ''): string[] {
  if (typeof value !== 'object' || value === null || value instanceof Date || OPEN.has(parent)) return [];
  return Object.entries(value).flatMap(([key, field]) => {
    const path = parent === '' ? key : `${parent}.${key}`;
    return [...(Array.isArray(value) ? [] : [path]), ...paths(field, path)];
  });
}
const OPEN = new Set(
  ['args', 'memo', 'searchAttributes', 'typedSearchAttributes'].flatMap((field) => [field, `action.${field}`]),
);

describe('a field of create', () => {
  it('is right in the options that the wrong values go into', () => {
    expect(parseScheduleOptions(valid as never, 'default').scheduleId).toBe('nightly');
  });

  it('is in this table, each of them', () => {
    const twice = (path: string) => /\.(skip|intervals\.1|backfill)\.?/.test(path.replace('intervals.1.anchor', ''));
    const fields = paths(valid).filter((path) => path in wrong || !twice(path));
    expect(fields.filter((path) => !(path in wrong))).toEqual([]);
  });

  it.each(Object.entries(wrong))('%s is refused by its path for each wrong value', (path, values) => {
    for (const value of values) {
      const error = refused(changed(path, value));
      const plain = error.path.replaceAll('[', '.').replaceAll(']', '');
      // A list within the field may name an item or what is in it.
      expect(plain === path || plain.startsWith(`${path}.`), `${error.message} for ${String(value)}`).toBe(true);
    }
  });

  it.each([
    ['scheduleID', 'scheduleId'],
    ['action.taskQueu', 'taskQueue'],
    ['action.retry.maximumAttempt', 'maximumAttempts'],
    ['action.priority.fairnesKey', 'fairnessKey'],
    ['policies.overlp', 'overlap'],
    ['policies.alerts.notdone', 'notDone'],
    ['state.pause', 'paused'],
    ['spec.timeZone', 'timezone'],
    ['spec.cronExpression', 'cronExpressions'],
  ])('that is misspelt, %s, is refused with the right name', (path, right) => {
    const error = refused(changed(path, 'x'));
    expect(error.path).toBe(path);
    expect(error.message).toContain(`did you mean ${right}`);
  });
});
