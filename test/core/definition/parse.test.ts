import { describe, expect, it } from 'vitest';
import { type ParsedSchedule, parseScheduleOptions } from '../../../core/definition/parse';
import { compileSpec } from '../../../core/occurrences';
import type { ScheduleOptions } from '../../../core/schedule/options';

async function nightlyReport(_region: string): Promise<void> {}

const valid = {
  scheduleId: 'nightly',
  spec: { cron: '0 2 * * *', timezone: 'Europe/Berlin' },
  action: { type: 'startWorkflow', workflowType: nightlyReport, taskQueue: 'reports', args: ['emea'] },
} satisfies ScheduleOptions;

const parse = (options: unknown) => parseScheduleOptions(options as ScheduleOptions, 'default');
const policiesOf = (policies: object) => parse({ ...valid, policies }).definition.policies;
const actionOf = (action: object) =>
  parse({ ...valid, action: { ...valid.action, ...action } }).definition.action as unknown as Record<string, unknown>;

describe('what a schedule leaves out', () => {
  it('has its default', () => {
    const action = { type: 'startWorkflow', workflowType: 'report', taskQueue: 'reports' };
    const { compiled: _, ...parsed } = parse({ scheduleId: 'nightly', spec: {}, action });
    expect(JSON.parse(JSON.stringify(parsed))).toStrictEqual({
      scheduleId: 'nightly',
      tenant: '',
      definition: {
        namespace: 'default',
        spec: {},
        action,
        policies: {
          overlap: 'SKIP',
          catchupWindow: 31_557_600_000,
          catchupLimit: 100,
          pauseOnFailure: false,
          onUncertain: 'SKIP',
          preStart: true,
          maxConcurrent: null,
        },
      },
      args: [],
      paused: false,
      triggerImmediately: false,
      backfill: [],
    });
  });

  it.each<keyof ParsedSchedule>([
    'memo',
    'searchAttributes',
    'owner',
    'runbook',
    'externalId',
    'note',
    'remainingActions',
  ])('is told apart from what was given as none: %s', (field) => {
    expect(parse(valid)[field]).toBeUndefined();
  });
});

describe('what a schedule gives', () => {
  const range = { start: new Date(0), end: '2026-03-01T02:00Z' };
  it.each<[string, Partial<ScheduleOptions>, Partial<ParsedSchedule>]>([
    ['the tenant', { tenant: 'acme' }, { tenant: 'acme' }],
    ['labels', { owner: 'ops', externalId: '7' }, { owner: 'ops', externalId: '7' }],
    ['a runbook', { runbook: 'https://x.test/y' }, { runbook: 'https://x.test/y' }],
    ['labels given as none', { owner: '', runbook: '', externalId: '' }, { owner: '', runbook: '', externalId: '' }],
    ['a memo', { memo: { team: 'billing' } }, { memo: { team: 'billing' } }],
    ['a memo given as none', { memo: {} }, { memo: {} }],
    ['a pause', { state: { paused: true, note: 'why' } }, { paused: true, note: 'why' }],
    ['no firing left', { state: { remainingActions: 0 } }, { remainingActions: 0 }],
    ['an immediate firing', { state: { triggerImmediately: true } }, { triggerImmediately: true }],
    ['no immediate firing', { state: { triggerImmediately: false } }, { triggerImmediately: false }],
    ['a backfill', { state: { backfill: [range] } }, { backfill: [range] }],
  ])('is kept: %s', (_, given, kept) => {
    expect(parse({ ...valid, ...given })).toMatchObject(kept);
  });

  it('is kept: its own namespace, before that of the client', () => {
    expect(parseScheduleOptions({ ...valid, namespace: 'reports' }, 'default').definition.namespace).toBe('reports');
    expect(parseScheduleOptions(valid, 'sales').definition.namespace).toBe('sales');
  });

  it('is stored as plain JSON: the instants of its spec are texts', () => {
    const spec = { at: [new Date('2026-03-01T02:00:00Z')], timezone: undefined };
    expect(parse({ ...valid, spec }).definition.spec).toStrictEqual({ at: ['2026-03-01T02:00:00.000Z'] });
  });
});

describe('the spec of a schedule', () => {
  it('fires at the times that its ID spreads it to', () => {
    const spec = { cron: 'H H * * *' };
    const first = (scheduleId: string) => parse({ ...valid, scheduleId, spec }).compiled.next(0);
    expect(first('nightly')).toBe(compileSpec(spec, { scheduleId: 'nightly' }).next(0));
    expect(first('nightly')).not.toBe(first('weekly'));
  });

  it('is refused for a range of years that ends before it begins, but not if it is a stored one that is kept', () => {
    const options = { ...valid, spec: { cron: '0 0 2 * * * 2030-2028' } };
    expect(() => parse(options)).toThrow('spec.cron: year "2030-2028" ends before it begins');
    expect(() => parseScheduleOptions(options, 'default', {})).toThrow('ends before it begins');
    expect(() => parseScheduleOptions(options, 'default', { given: false })).not.toThrow();
  });

  it.each<object>([{}, { cron: [] }, { intervals: [], calendars: [] }, { timezone: 'Europe/Berlin' }])(
    'may have no times, for a schedule that fires by hand: %j',
    (spec) => {
      expect(parse({ ...valid, spec }).compiled.next(0)).toBeUndefined();
    },
  );

  it.each(['cron', 'at', 'cronExpressions', 'calendars', 'intervals'])(
    'is refused if its %s has no value, as from an unset variable, and no other part has times',
    (part) => {
      for (const rest of [{}, { timezone: 'UTC' }]) {
        expect(() => parse({ ...valid, spec: { ...rest, [part]: undefined } })).toThrow(
          `spec.${part}: has no value; for a schedule that is only triggered by hand, use {}`,
        );
      }
      const empty = part === 'cron' ? { intervals: [] } : { cron: [] };
      expect(() => parse({ ...valid, spec: { ...empty, [part]: undefined } })).toThrow(`spec.${part}: has no value`);
      const other = part === 'cron' ? { intervals: [{ every: '1 hour' }] } : { cron: '0 2 * * *' };
      expect(() => parse({ ...valid, spec: { ...other, [part]: undefined } })).not.toThrow();
    },
  );
});

describe('the action of a schedule', () => {
  it.each<[string, unknown]>([
    ['nightlyReport', nightlyReport],
    ['monthly report', 'monthly report'],
  ])('starts the workflow %s, by its function or its name', (name, workflowType) => {
    expect(actionOf({ workflowType })).toMatchObject({ type: 'startWorkflow', workflowType: name });
  });

  it('has the prefix of workflow IDs with the tenant, so that tenants cannot take each other’s', () => {
    const action = { ...valid.action, workflowId: 'report' };
    expect(parse({ ...valid, action }).definition.action.workflowId).toBe('report');
    expect(parse({ ...valid, action, tenant: 'acme' }).definition.action.workflowId).toBe('report[acme]');
    expect(parse({ ...valid, tenant: 'acme' }).definition.action.workflowId).toBeUndefined();
  });

  it.each<[string, unknown, unknown]>([
    ['workflowExecutionTimeout', '1 day', 86_400_000],
    ['workflowExecutionTimeout', 0, undefined],
    ['workflowRunTimeout', '1 hour', 3_600_000],
    ['workflowRunTimeout', 0, undefined],
    ['workflowTaskTimeout', '10s', 10_000],
    ['workflowTaskTimeout', 0, undefined],
    ['workflowTaskTimeout', undefined, undefined],
    ['retry', { maximumAttempts: 3, initialInterval: '2s' }, { maximumAttempts: 3, initialInterval: 2_000 }],
    ['priority', { priorityKey: 1, fairnessKey: undefined }, { priorityKey: 1 }],
    [
      'priority',
      { priorityKey: 0, fairnessKey: '', fairnessWeight: 0 },
      { priorityKey: 0, fairnessKey: '', fairnessWeight: 0 },
    ],
    ['priority', { priorityKey: undefined, fairnessKey: undefined, fairnessWeight: undefined }, undefined],
    ['priority', {}, undefined],
    ['priority', undefined, undefined],
    ['memo', { team: 'billing' }, { team: 'billing' }],
    ['memo', {}, undefined],
    ['searchAttributes', {}, undefined],
    ['staticSummary', 'summary', 'summary'],
    ['staticDetails', 'details', 'details'],
  ])('has its %s of %j as Temporal takes it', (field, given, stored) => {
    expect(actionOf({ [field]: given })[field]).toStrictEqual(stored);
  });

  it('has no own value under the key that Escapement’s memo has', () => {
    expect(() => actionOf({ memo: { escapement: 'mine' } })).toThrow(
      'action.memo.escapement: is Escapement’s own key; use another',
    );
    expect(parse({ ...valid, memo: { escapement: 'mine' } }).memo).toEqual({ escapement: 'mine' });
  });

  it.each<[string, object]>([
    ['action.args[1]', { action: { ...valid.action, args: ['emea', nightlyReport] } }],
    ['action.memo.call', { action: { ...valid.action, memo: { call: nightlyReport } } }],
    ['memo.call', { memo: { call: nightlyReport } }],
  ])('and the memo have no functions: %s', (path, given) => {
    expect(() => parse({ ...valid, ...given })).toThrow(`${path}: a function cannot be encoded`);
  });
});

describe('the policies of a schedule', () => {
  it.each<[string, unknown, unknown]>([
    ['catchupWindow', 10_000, 10_000],
    ['catchupLimit', 0, 0],
    ['catchupLimit', 3, 3],
    ['catchupLimit', Number.POSITIVE_INFINITY, null],
    ['pauseOnFailure', false, false],
    ['onUncertain', 'START', 'START'],
    ['preStart', true, true],
    ['preStart', false, false],
    ['preStart', '5s', 5_000],
    ['preStart', '10 minutes', 600_000],
    ['maxConcurrent', 1, 1],
    ['parkedHolds', false, false],
    ['parkedHolds', true, undefined],
    ['parkedAtMost', '3 days', 259_200_000],
    ['parkedAtMost', '1 minute', 60_000],
    ['alerts', { late: '1 minute', failing: false }, { late: 60_000, failing: false }],
  ])('has a %s of %j in its stored form, and nothing else', (field, given, stored) => {
    const { [field]: _, ...defaults } = policiesOf({}) as unknown as Record<string, unknown>;
    expect(policiesOf({ [field]: given })).toStrictEqual({
      ...defaults,
      ...(stored === undefined ? {} : { [field]: stored }),
    });
  });

  it('has no field for what is stored only if it was given', () => {
    const policies = policiesOf({ alerts: { late: undefined } });
    for (const field of ['parkedHolds', 'parkedAtMost', 'alerts']) expect(policies).not.toHaveProperty(field);
  });

  it.each([
    ['catchupWindow', 9_999, '9999 is too short; it is at least 10 seconds'],
    ['preStart', 600_001, '600001 is too long; it is at most ten minutes'],
    ['preStart', '11 minutes', '11 minutes is too long; it is at most ten minutes'],
    ['parkedAtMost', 59_999, '59999 is too short; it is at least one minute'],
  ])('is refused beyond its bound: a %s of %j', (field, given, problem) => {
    expect(() => policiesOf({ [field]: given })).toThrow(`policies.${field}: ${problem}`);
  });
});
