import {
  Client,
  Connection,
  type CreateScheduleInput,
  type Next,
  type ScheduleClientInterceptor,
  type ScheduleUpdateOptions as TemporalUpdateOptions,
} from '@temporalio/client';
import { defaultPayloadConverter, defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import { describe, expect, inject, it } from 'vitest';
import {
  EscapementClient,
  InvalidScheduleError,
  type ListSchedulesOptions,
  type ScheduleHandle,
  type ScheduleSpec,
  type ScheduleSummary,
} from '../../index';
import { someSchedule, uniqueName, useLedger } from '../support/ledger';
import { UNSET_CALENDAR } from '../support/unset-calendar';

/** Behaviour that callers of Temporal's own `client.schedule` rely on, with a client that reaches only Postgres. */

const ledger = useLedger();
const count = defineSearchAttributeKey('Count', 'INT');
const EIGHT = { hour: { start: 8, end: 18, step: 1 } };
async function reportOf(_region: string, _rows: number): Promise<void> {}
async function listed(options: ListSchedulesOptions = {}): Promise<ScheduleSummary[]> {
  const schedules: ScheduleSummary[] = [];
  for await (const schedule of ledger().client.list(options)) schedules.push(schedule);
  return schedules;
}
const create = (spec: ScheduleSpec) => ledger().client.create(someSchedule({ spec }));

describe('describe', () => {
  it('has calendars with every field as ranges', async () => {
    const handle = await create({ calendars: [EIGHT] });
    expect((await handle.describe()).spec.calendars).toEqual([
      { ...UNSET_CALENDAR, hour: [{ start: 8, end: 18, step: 1 }] },
    ]);
  });

  it('has intervals in milliseconds', async () => {
    const handle = await create({ intervals: [{ every: '2h', offset: '15m' }] });
    expect((await handle.describe()).spec.intervals).toEqual([{ every: 7_200_000, offset: 900_000 }]);
  });

  it('has cron expressions as calendars', async () => {
    const { spec } = await (await create({ cronExpressions: ['30 6 * * TUE-THU,SUN'] })).describe();
    expect(spec.calendars).toEqual([
      {
        ...UNSET_CALENDAR,
        minute: [{ start: 30, end: 30, step: 1 }],
        hour: [{ start: 6, end: 6, step: 1 }],
        dayOfWeek: [
          { start: 'TUESDAY', end: 'THURSDAY', step: 1 },
          { start: 'SUNDAY', end: 'SUNDAY', step: 1 },
        ],
      },
    ]);
    expect(spec).not.toHaveProperty('cronExpressions');
  });

  it('has what was registered in its definition, word for word', async () => {
    const spec = {
      cron: '0 2 * * *',
      cronExpressions: ['CRON_TZ=Europe/Berlin 0 12 * * 1 # lunch'],
      intervals: [{ every: '1 week' as const, anchor: new Date('2026-01-05T09:00:00Z') }],
      at: new Date('2027-01-01T00:00:00Z'),
      jitter: '10 seconds' as const,
    };
    const described = await (await create(spec)).describe();
    expect(described.definition).toEqual({ spec });
    expect(described.spec).toMatchObject({ cron: '0 2 * * *', timezone: 'Europe/Berlin', jitter: 10_000 });
    expect(described.spec.intervals).toEqual([{ every: 604_800_000, offset: 0, anchor: spec.intervals[0]!.anchor }]);
    const [first] = await listed();
    expect(first).toMatchObject({ spec: described.spec, definition: described.definition });
  });

  it('has the summary and the details of what is started', async () => {
    const options = someSchedule({ spec: {} });
    const action = { ...options.action, staticSummary: 'nightly', staticDetails: '**all** of it' };
    const handle = await ledger().client.create({ ...options, action });
    expect((await handle.describe()).action).toMatchObject({
      staticSummary: 'nightly',
      staticDetails: '**all** of it',
    });
  });
});

describe('a spec without any time', () => {
  it('is a schedule that fires when it is triggered', async () => {
    const handle = await create({});
    const before = await handle.describe();
    expect(before.spec).toEqual({ calendars: [], intervals: [], skip: [] });
    expect(before.info).toMatchObject({ nextFireAt: undefined, nextActionTimes: [] });
    expect(before.state).not.toHaveProperty('completed');
    const trigger = await ledger().trigger();
    await trigger.passes.claim();
    const firing = await handle.trigger();
    await trigger.passes.claim();
    expect(await ledger().answers(handle.scheduleId)).toEqual([expect.stringContaining('manual claimed')]);
    expect(await handle.explain(firing.scheduledTime)).toMatchObject({ answer: 'firing' });
    expect(await listed({ completed: true })).toEqual([]);
    expect(await listed({ completed: false })).toHaveLength(1);
  });

  it('is what an update may make of another, and the other way round', async () => {
    const handle = await create({ calendars: [EIGHT] });
    await handle.update((previous) => ({ ...previous, spec: {} }));
    expect((await handle.describe()).info).toMatchObject({ version: 2, nextFireAt: undefined });
    await handle.update((previous) => previous);
    await handle.update((previous) => ({ ...previous, spec: { ...previous.spec, calendars: [EIGHT] } }));
    expect((await handle.describe()).info).toMatchObject({ version: 3, nextFireAt: new Date('2026-03-01T08:00:00Z') });
  });

  it('is refused where a part has no value: that is no choice', async () => {
    const unset: ScheduleSpec = { cron: undefined as never };
    await expect(create(unset)).rejects.toThrow('spec.cron: has no value');
    const handle = await create({ calendars: [EIGHT] });
    await expect(handle.update((previous) => ({ ...previous, spec: unset }))).rejects.toThrow(
      'spec.cron: has no value',
    );
    await expect(create({ endAt: new Date(0), calendars: [EIGHT] })).rejects.toThrow('has no future times');
  });
});

describe('update', () => {
  it('changes nothing with what describe returned, and keeps the words of what it leaves', async () => {
    const spec = { cronExpressions: ['0 12 * * 1-5'], cron: 'H 2 * * *', intervals: [{ every: '1h' as const }] };
    const handle = await create(spec);
    await handle.update((previous) => previous);
    await handle.update((previous) => ({ ...previous, ...JSON.parse(JSON.stringify({ spec: previous.spec })) }));
    expect((await handle.describe()).info).toMatchObject({ version: 1, lastUpdatedAt: undefined });
    await handle.update((previous) => ({ ...previous, policies: { overlap: 'ALLOW_ALL' } }));
    const { definition, info } = await handle.describe();
    expect({ definition, version: info.version }).toEqual({ definition: { spec }, version: 2 });
  });

  it('refuses a change of what describe only adds', async () => {
    const handle = await create({ calendars: [EIGHT] });
    const changed = handle.update((previous) => {
      previous.definition.spec = { calendars: [{ hour: 9 }] };
      return previous;
    });
    await expect(changed).rejects.toThrow('definition: ');
  });

  it('takes another calendar, action or interval, by Temporal’s types too', async () => {
    const handle = await create({ calendars: [EIGHT] });
    await handle.update((previous) => ({
      ...previous,
      spec: { calendars: [{ hour: { start: 6, end: 9, step: 1 } }] },
    }));
    expect((await handle.describe()).spec.calendars).toEqual([
      { ...UNSET_CALENDAR, hour: [{ start: 6, end: 9, step: 1 }] },
    ]);
    await handle.update((previous: TemporalUpdateOptions) => {
      previous.spec.intervals = [{ every: '3h' }];
      return previous;
    });
    await handle.update((previous) => ({
      ...previous,
      action: { type: 'startWorkflow', workflowType: reportOf, args: ['emea', 4], taskQueue: 'reports' },
    }));
    const { spec, action } = await handle.describe();
    expect(spec.intervals).toEqual([{ every: 10_800_000, offset: 0 }]);
    expect(action).toMatchObject({ type: 'startWorkflow', workflowType: 'reportOf', args: ['emea', 4] });
  });

  it('throws a TypeError that names the bad field, after one call of its function', async () => {
    const handle = await create({ calendars: [EIGHT] });
    let calls = 0;
    const refused = handle.update((previous) => {
      calls++;
      return { ...previous, spec: { calendars: [{ hour: 42 }] } };
    });
    const error = await refused.catch((thrown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toBeInstanceOf(InvalidScheduleError);
    expect(error).toMatchObject({ name: 'InvalidScheduleError', path: 'spec.calendars[0].hour' });
    expect(calls).toBe(1);
  });
});

describe('interceptors', () => {
  const interceptors = {
    schedule: [
      {
        create: async (input: CreateScheduleInput, next: Next<ScheduleClientInterceptor, 'create'>) =>
          next({ ...input, headers: { trace: defaultPayloadConverter.toPayload('abc') } }),
      },
    ],
  };
  const traced = async (handle: ScheduleHandle) => {
    const header = (await handle.describe()).raw.schedule?.action?.startWorkflow?.header;
    return Object.entries(header!.fields!).map(([name, payload]) => [
      name,
      defaultPayloadConverter.fromPayload(payload),
    ]);
  };

  it('are called by create, and their headers stay through updates, applied and by hand', async () => {
    const client = ledger().newClient({ interceptors });
    const options = someSchedule({ spec: { intervals: [{ every: '1h', offset: '5m' }] } });
    const handle = await client.create(options);
    expect(await traced(handle)).toEqual([['trace', 'abc']]);
    expect((await handle.describe()).action).not.toHaveProperty('workflowId');
    await handle.update((previous) => previous);
    expect((await handle.describe()).info.version).toBe(1);
    await handle.update((previous) => ({ ...previous, policies: { overlap: 'ALLOW_ALL' } }));
    expect(await traced(handle)).toEqual([['trace', 'abc']]);
    const apply = (revision: number) => client.apply([options], { source: 'code', revision, takeOver: true });
    expect(await apply(1)).toMatchObject({ updated: [{ changed: ['policies.overlap', 'source'] }] });
    expect(await traced(handle)).toEqual([['trace', 'abc']]);
    expect(await apply(2)).toMatchObject({ updated: [], unchanged: [options.scheduleId] });
    const list = interceptors.schedule;
    expect(await traced(await ledger().newClient({ interceptors: list }).create(someSchedule()))).toHaveLength(1);
  });

  it('set headers that reach each workflow', async () => {
    const client = ledger().newClient({ interceptors });
    const handle = await client.create(someSchedule({ spec: {} }));
    const trigger = await ledger().trigger();
    const { workflowId } = await handle.trigger();
    await trigger.passes.claim();
    await trigger.passes.dispatch();
    const connection = await Connection.connect({ address: inject('temporalAddress') });
    try {
      const started = await new Client({ connection }).workflow.getHandle(workflowId!).fetchHistory();
      const { header } = started.events![0]!.workflowExecutionStartedEventAttributes!;
      expect(defaultPayloadConverter.fromPayload(header!.fields!.trace!)).toBe('abc');
    } finally {
      await connection.close();
    }
  });
});

describe('pause and unpause', () => {
  it('show in the state', async () => {
    const handle = await create({ calendars: [EIGHT] });
    const paused = async () => (await handle.describe()).state.paused;
    expect(await paused()).toBe(false);
    await handle.pause();
    expect(await paused()).toBe(true);
    await handle.unpause();
    expect(await paused()).toBe(false);
  });
});

describe('list', () => {
  it('goes over more pages than one', async () => {
    const client = new EscapementClient({ connectionString: ledger().databaseUrl });
    try {
      const ids = Array.from({ length: 20 }, (_, index) => `report-${index + 10}`);
      await Promise.all(ids.map((scheduleId) => client.create(someSchedule({ scheduleId }))));
      const listed: string[] = [];
      for await (const { scheduleId } of client.list({ pageSize: 6 })) listed.push(scheduleId);
      expect(listed).toEqual(ids);
    } finally {
      await client.close();
    }
  });
});

it('search attributes of both forms are described with their types where they have one', async () => {
  const handle = await ledger().client.create({
    ...someSchedule({ scheduleId: uniqueName('typed') }),
    searchAttributes: { Team: ['billing'] },
    typedSearchAttributes: new TypedSearchAttributes([{ key: count, value: 42 }]),
  });
  const { searchAttributes, typedSearchAttributes } = await handle.describe();
  expect(searchAttributes).toEqual({ Team: ['billing'], Count: [42] });
  expect(typedSearchAttributes).toEqual(new TypedSearchAttributes([{ key: count, value: 42 }]));
});
