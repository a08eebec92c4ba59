import type {
  ScheduleOptionsStartWorkflowAction as TemporalAction,
  ScheduleDescription as TemporalDescription,
  ScheduleOptions as TemporalOptions,
} from '@temporalio/client';
import { Client, Connection, ScheduleOverlapPolicy } from '@temporalio/client';
import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, expectTypeOf, inject, it } from 'vitest';
import type {
  ScheduleAction,
  ScheduleDescription,
  ScheduleOptions,
  ScheduleOptionsStartWorkflowAction,
  ScheduleUpdateOptions,
} from '../../index';
import { defineSchedule } from '../../index';
import { someSchedule, uniqueName, useLedger } from '../support/ledger';
import { invertingCodec } from '../support/workers/codec';

const ledger = useLedger('2026-03-01T00:30:00Z');
const codec = { dataConverter: { payloadCodecs: [invertingCodec] } };
const region = defineSearchAttributeKey('Region', 'KEYWORD');
const regions = defineSearchAttributeKey('Regions', 'KEYWORD_LIST');
const day = defineSearchAttributeKey('Day', 'DATETIME');

async function nightlyReport(_region: string, _rows?: number): Promise<void> {}

/** Every field that create takes and describe returns. */
const full = (): ScheduleOptions => ({
  scheduleId: uniqueName('full'),
  spec: {
    calendars: [{ hour: { start: 8, end: 18, step: 2 }, dayOfWeek: ['MONDAY', 'FRIDAY'], comment: 'office' }],
    intervals: [{ every: '1 hour', offset: '5 minutes' }],
    cronExpressions: ['CRON_TZ=Europe/Berlin 0 12 * * MON-FRI'],
    skip: [{ month: 'DECEMBER', dayOfMonth: 25 }],
    startAt: new Date('2026-03-02T00:00:00Z'),
    endAt: new Date('2030-01-01T00:00:00Z'),
    jitter: '30 seconds',
    timezone: 'Europe/Berlin',
  },
  action: {
    type: 'startWorkflow',
    workflowType: 'nightlyReport',
    taskQueue: 'reports',
    workflowId: 'report',
    args: ['emea', { deep: [1, null] }],
    memo: { owner: 'finance', limits: { rows: 10 } },
    searchAttributes: { Legacy: ['a', 'b'], LegacyDay: [new Date('2026-01-01T00:00:00Z')], Count: [3] },
    typedSearchAttributes: [
      { key: region, value: 'emea' },
      { key: regions, value: ['emea', 'apac'] },
      { key: day, value: new Date('2026-03-01T00:00:00Z') },
    ],
    retry: {
      maximumAttempts: 3,
      initialInterval: '2 seconds',
      backoffCoefficient: 1.5,
      nonRetryableErrorTypes: ['Bad'],
    },
    workflowExecutionTimeout: '1 day',
    workflowRunTimeout: 3_600_000,
    workflowTaskTimeout: '20 seconds',
    staticSummary: 'the nightly one',
    staticDetails: '**what** it does',
    priority: { priorityKey: 2, fairnessKey: 'finance', fairnessWeight: 2 },
    softTimeout: '10 minutes',
  },
  policies: { overlap: 'BUFFER_ONE', catchupWindow: '2 days', pauseOnFailure: true, catchupLimit: 7, maxConcurrent: 3 },
  memo: { team: { name: 'billing' } },
  searchAttributes: { Team: ['billing'] },
  typedSearchAttributes: new TypedSearchAttributes([{ key: region, value: 'emea' }]),
  state: { paused: true, note: 'for finance', remainingActions: 100 },
  namespace: 'reports',
  tenant: 'acme',
});

describe('what describe returns', () => {
  it('is valid as create’s input and update’s, by its type and Temporal’s own by its type too', () => {
    expectTypeOf<ScheduleDescription>().toExtend<ScheduleOptions>();
    expectTypeOf<ScheduleDescription>().toExtend<ScheduleUpdateOptions>();
    expectTypeOf<TemporalDescription>().toExtend<ScheduleOptions>();
  });

  it('creates an equal schedule, with everything that was encoded', async () => {
    const client = ledger().newClient(codec);
    const first = await (await client.create(full())).describe();
    const scheduleId = uniqueName('again');
    const second = await (await client.create({ ...first, scheduleId })).describe();
    expect({ ...second, definition: { spec: full().spec }, info: first.info }).toEqual({ ...first, scheduleId });
    expect(first.action).toMatchObject({
      args: ['emea', { deep: [1, null] }],
      memo: { owner: 'finance', limits: { rows: 10 } },
      staticSummary: 'the nightly one',
      staticDetails: '**what** it does',
      priority: { priorityKey: 2, fairnessKey: 'finance', fairnessWeight: 2 },
      searchAttributes: {
        Legacy: ['a', 'b'],
        LegacyDay: [new Date('2026-01-01T00:00:00Z')],
        Count: [3],
        Region: ['emea'],
        Regions: ['emea', 'apac'],
        Day: [new Date('2026-03-01T00:00:00Z')],
      },
    });
    expect(first.action.typedSearchAttributes.get(day)).toEqual(new Date('2026-03-01T00:00:00Z'));
    expect(first.action.typedSearchAttributes.get(regions)).toEqual(['emea', 'apac']);
    expect(first.memo).toEqual({ team: { name: 'billing' } });
    expect(first.searchAttributes).toEqual({ Team: ['billing'], Region: ['emea'] });
    const versions = await ledger().query(
      'select action - $1::text[] as action, policies from escapement.schedule_versions',
      [['memo', 'staticSummary', 'staticDetails']],
    );
    expect(versions[0]).toEqual(versions[1]);
  });

  it('changes nothing when update returns it', async () => {
    const handle = await ledger().newClient(codec).create(full());
    await handle.update((previous) => previous);
    expect((await handle.describe()).info).toMatchObject({ version: 1, lastUpdatedAt: undefined });
  });

  it.each<[string, (previous: ScheduleDescription) => ScheduleUpdateOptions]>([
    ['memo', (previous) => ({ ...previous, action: { ...previous.action, memo: { owner: 'sales' } } })],
    ['staticSummary', (previous) => ({ ...previous, action: { ...previous.action, staticSummary: 'another' } })],
    ['priority', (previous) => ({ ...previous, action: { ...previous.action, priority: { priorityKey: 1 } } })],
    [
      'search attributes',
      (previous) => ({
        ...previous,
        action: { ...previous.action, searchAttributes: {}, typedSearchAttributes: [{ key: region, value: 'apac' }] },
      }),
    ],
  ])('makes a version when update changes the %s of its action', async (_, change) => {
    const handle = await ledger().newClient(codec).create(full());
    await handle.update(change);
    const { info, action } = await handle.describe();
    expect(info.version).toBe(2);
    expect(action.args).toEqual(['emea', { deep: [1, null] }]);
  });
});

describe('memo and search attributes of a schedule itself', () => {
  it('are listed, stay where an update leaves them out, and go with an empty object', async () => {
    const { client } = ledger();
    const options = someSchedule({ memo: { team: 'billing' }, searchAttributes: { Team: ['billing'] } });
    const handle = await client.create(options);
    const listed = async () => {
      for await (const summary of client.list()) return { memo: summary.memo, attributes: summary.searchAttributes };
      return undefined;
    };
    expect(await listed()).toEqual({ memo: { team: 'billing' }, attributes: { Team: ['billing'] } });
    await handle.update(({ spec, action }) => ({ spec, action }));
    expect(await listed()).toEqual({ memo: { team: 'billing' }, attributes: { Team: ['billing'] } });
    await handle.update((previous) => ({ ...previous, memo: { team: 'sales' } }));
    expect(await listed()).toEqual({ memo: { team: 'sales' }, attributes: { Team: ['billing'] } });
    await handle.update((previous) => ({ ...previous, memo: {}, searchAttributes: {}, typedSearchAttributes: [] }));
    expect(await listed()).toEqual({ memo: undefined, attributes: {} });
    expect((await handle.describe()).info.version).toBe(1);
  });

  it('are taken back as JSON has them, dates too', async () => {
    const { client } = ledger();
    const date = new Date('2026-03-01T00:00:00.123Z');
    const typedSearchAttributes = [{ key: day, value: date }];
    const options = someSchedule({ typedSearchAttributes });
    const handle = await client.create({ ...options, action: { ...options.action, typedSearchAttributes } });
    const before = await handle.describe();
    await handle.update((previous) => {
      const plain = JSON.parse(JSON.stringify(previous));
      return {
        ...previous,
        typedSearchAttributes: plain.typedSearchAttributes,
        action: { ...previous.action, typedSearchAttributes: plain.action.typedSearchAttributes },
      };
    });
    expect(await handle.describe()).toEqual(before);
    const other = [{ key: day, value: '2026-03-01T01:00:00.123+01:00' as never }];
    await handle.update((previous) => ({ ...previous, typedSearchAttributes: other }));
    expect((await handle.describe()).typedSearchAttributes.get(day)).toEqual(date);
  });

  it('do not come back when the name is used again', async () => {
    const { client } = ledger();
    const options = someSchedule({ memo: { team: 'billing' }, searchAttributes: { Team: ['billing'] } });
    await (await client.create(options)).delete();
    const again = await client.create({ ...options, memo: undefined, searchAttributes: undefined });
    expect(await again.describe()).toMatchObject({ searchAttributes: {} });
    expect(await again.describe()).not.toHaveProperty('memo');
  });
});

describe('a schedule that Temporal has', () => {
  let connection: Connection;
  beforeAll(async () => {
    connection = await Connection.connect({ address: inject('temporalAddress') });
  });
  afterAll(() => connection.close());

  it('is created here from what Temporal’s own describe returns, and comes due at the same instants', async () => {
    const native = new Client({ connection }).schedule;
    const { action, memo, ...options } = full();
    const { softTimeout: _, searchAttributes: __, typedSearchAttributes: ___, ...plain } = action;
    // No occurrence passes between the two that are compared: all are to come.
    const [startAt, endAt] = [new Date('2050-01-03T00:00:00Z'), new Date('2052-01-01T00:00:00Z')];
    const handle = await native.create({
      scheduleId: options.scheduleId,
      spec: { ...options.spec, startAt, endAt, jitter: undefined } as TemporalOptions['spec'],
      action: { ...plain, retry: { maximumAttempts: 3 } },
      policies: { overlap: 'BUFFER_ONE', catchupWindow: '2 days', pauseOnFailure: true },
      state: { paused: true, note: 'for finance', remainingActions: 100 },
      memo: memo!,
    });
    const theirs = await handle.describe();
    await handle.delete();
    const { client, clock } = ledger();
    clock.set(new Date().toISOString());
    const ours = await (await client.create(theirs)).describe();
    expect(ours.spec).toEqual(theirs.spec);
    expect(ours).toMatchObject({
      memo: { team: { name: 'billing' } },
      policies: theirs.policies,
      state: theirs.state,
      action: {
        ...plain,
        retry: { maximumAttempts: 3 },
        workflowExecutionTimeout: 86_400_000,
        workflowTaskTimeout: 20_000,
      },
    });
    expect(ours.info.nextActionTimes).toEqual(theirs.info.nextActionTimes);
  });
});

describe('a call site written for Temporal’s ScheduleClient', () => {
  it('compiles unchanged, and means the same', async () => {
    const options: TemporalOptions<TemporalAction<typeof nightlyReport>> = {
      scheduleId: uniqueName('typed'),
      spec: { calendars: [{ hour: 2 }] },
      action: { type: 'startWorkflow', workflowType: nightlyReport, args: ['emea'], taskQueue: 'reports' },
      policies: { overlap: ScheduleOverlapPolicy.UNSPECIFIED, catchupWindow: '1 minute' },
      state: { note: 'for finance' },
    };
    const { client } = ledger();
    const handle = await client.create(options);
    await handle.pause();
    await handle.unpause('go on');
    await handle.trigger(ScheduleOverlapPolicy.ALLOW_ALL);
    const [start, end] = [new Date('2026-02-28T00:00:00Z'), new Date('2026-03-01T00:00:00Z')];
    await handle.backfill([{ start, end, overlap: ScheduleOverlapPolicy.BUFFER_ALL }]);
    await handle.update<typeof nightlyReport>((previous) => ({
      ...previous,
      action: { type: 'startWorkflow', workflowType: nightlyReport, args: ['apac'], taskQueue: 'reports' },
    }));
    expect(await handle.describe()).toMatchObject({
      policies: { overlap: 'SKIP', catchupWindow: 60_000 },
      state: { paused: false, note: 'go on' },
      action: { workflowType: 'nightlyReport', args: ['apac'] },
    });
    await handle.delete();
  });

  it('has Temporal’s generics', () => {
    expectTypeOf<ScheduleOptions<ScheduleOptionsStartWorkflowAction<typeof nightlyReport>>>()
      .toHaveProperty('action')
      .toEqualTypeOf<ScheduleAction<typeof nightlyReport>>();
    expectTypeOf<TemporalOptions>().toExtend<ScheduleOptions>();
  });
});

describe('a mistake', () => {
  it('in the name of a policy, of a field or in an argument is a compile error', () => {
    const action = { type: 'startWorkflow' as const, workflowType: nightlyReport, taskQueue: 'reports' };
    const rest = { scheduleId: 'x', spec: { cron: '0 2 * * *' } };
    // @ts-expect-error a misspelt policy's value
    defineSchedule({ ...rest, action: { ...action, args: ['emea'] }, policies: { overlap: 'SKIPP' } });
    const full = { ...rest, action: { ...action, args: ['emea'] as [string] } };
    // @ts-expect-error a misspelt policy
    expect(() => defineSchedule({ ...full, policies: { overlapp: 'SKIP' } })).toThrow('policies.overlapp');
    // @ts-expect-error a misspelt field
    expect(() => defineSchedule({ ...full, polices: {} })).toThrow('did you mean policies?');
    // @ts-expect-error an argument of the wrong type
    defineSchedule({ ...rest, action: { ...action, args: [5] } });
    // @ts-expect-error a missing argument
    defineSchedule({ ...rest, action });
    expect(defineSchedule({ ...rest, action: { ...action, args: ['emea', 5] } })).toMatchObject(rest);
  });
});
