import type { CreateScheduleInput, Next, ScheduleClientInterceptor, ScheduleUpdateOptions } from '@temporalio/client';
import { defaultPayloadConverter, defineSearchAttributeKey } from '@temporalio/common';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EscapementClient, type ScheduleHandle, type ScheduleOptions, type ScheduleSpec } from '../../index';
import { uniqueName, useLedger } from '../support/ledger';
import { UNSET_CALENDAR } from '../support/unset-calendar';

/**
 * Fifteen of the eighteen promises that Temporal's own tests hold `client.schedule` to, held by a client that reaches
 * Postgres alone: no trigger, no Temporal. `docs/parity.md` lists the three others.
 */

const ledger = useLedger();
let client: EscapementClient;
let traced: EscapementClient;
const addsHeader = {
  create: (input: CreateScheduleInput, next: Next<ScheduleClientInterceptor, 'create'>) =>
    next({ ...input, headers: { ...input.headers, trace: defaultPayloadConverter.toPayload('abc') } }),
};
beforeEach(() => {
  const connectionString = ledger().databaseUrl;
  client = new EscapementClient({ connectionString });
  traced = new EscapementClient({ connectionString, interceptors: { schedule: [addsHeader] } });
});
afterEach(async () => {
  await client.close();
  await traced.close();
});

const MORNINGS: ScheduleSpec = { calendars: [{ hour: { start: 6, end: 10, step: 2 } }] };
const rows = defineSearchAttributeKey('Rows', 'INT');
const HOURLY: ScheduleSpec = { intervals: [{ every: '1h', offset: '10m' }] };

async function cleanUp(): Promise<void> {}
async function mailReport(_region: string): Promise<void> {}
async function addRows(_from: number, _to: number): Promise<void> {}

function optionsOf(spec: ScheduleSpec, action: object = { workflowType: cleanUp }): ScheduleOptions {
  return {
    scheduleId: uniqueName('promise'),
    spec,
    action: { type: 'startWorkflow', taskQueue: 'reports', ...action } as ScheduleOptions['action'],
  };
}
const create = (spec: ScheduleSpec, action?: object) => client.create(optionsOf(spec, action));

async function headerOf(handle: ScheduleHandle): Promise<unknown> {
  const { raw } = await handle.describe();
  return defaultPayloadConverter.fromPayload(raw.schedule!.action!.startWorkflow!.header!.fields!.trace!);
}

describe('creates a schedule', () => {
  it('with a calendar, and describes it with every field as ranges', async () => {
    const { spec } = await (await create(MORNINGS)).describe();
    expect(spec.calendars).toEqual([{ ...UNSET_CALENDAR, hour: [{ start: 6, end: 10, step: 2 }] }]);
  });

  it('with an interval, and describes it in milliseconds', async () => {
    const { spec } = await (await create(HOURLY)).describe();
    expect(spec.intervals).toEqual([{ every: 3_600_000, offset: 600_000 }]);
  });

  it('with a cron expression, and describes it as a calendar', async () => {
    const { spec } = await (await create({ cronExpressions: ['15 8 * * TUE-THU,SAT'] })).describe();
    const days = [
      { start: 'TUESDAY', end: 'THURSDAY', step: 1 },
      { start: 'SATURDAY', end: 'SATURDAY', step: 1 },
    ];
    const [minute, hour] = [15, 8].map((value) => [{ start: value, end: value, step: 1 }]);
    expect(spec.calendars).toEqual([{ ...UNSET_CALENDAR, minute, hour, dayOfWeek: days }]);
  });

  it('without any time, and describes lists that are empty', async () => {
    const { spec } = await (await create({})).describe();
    expect(spec).toEqual({ calendars: [], intervals: [], skip: [] });
  });

  it('whose workflows have a summary and details, and describes both', async () => {
    const metadata = { staticSummary: 'nightly', staticDetails: 'all of *it*' };
    const { action } = await (await create({}, { workflowType: cleanUp, ...metadata })).describe();
    expect(action).toMatchObject(metadata);
  });

  it('with a structured calendar of any form, and describes each form as Temporal does', async () => {
    const at = (start: number | string, end = start, step = 1) => ({ start, end, step });
    const forms: [NonNullable<ScheduleSpec['calendars']>[number], object][] = [
      [{ hour: 5 }, { hour: [at(5)] }],
      [
        { hour: 5, dayOfWeek: 'TUESDAY', month: 'MAY' },
        { hour: [at(5)], dayOfWeek: [at('TUESDAY')], month: [at('MAY')] },
      ],
      [
        { second: '*', minute: '*', hour: '*', dayOfMonth: '*', month: '*', year: '*', dayOfWeek: '*' },
        { second: [at(0, 59)], minute: [at(0, 59)], hour: [at(0, 23)] },
      ],
      [
        { hour: [1, 3, { start: 10, end: 16, step: 3 }], month: ['MARCH', { start: 'JUNE', end: 'AUGUST' }] },
        { hour: [at(1), at(3), at(10, 16, 3)], month: [at('MARCH'), at('JUNE', 'AUGUST')] },
      ],
      [
        { dayOfWeek: ['SATURDAY', { start: 'MONDAY', end: 'THURSDAY', step: 1 }] },
        { dayOfWeek: [at('SATURDAY'), at('MONDAY', 'THURSDAY')] },
      ],
      // An end before its start counts as none.
      [
        {
          hour: [
            { start: 1, end: 5 },
            { start: 6, end: 0, step: 2 },
          ],
        },
        { hour: [at(1, 5), at(6, 6, 2)] },
      ],
    ];
    const { spec } = await (await create({ calendars: forms.map(([given]) => given) })).describe();
    expect(spec.calendars).toEqual(forms.map(([, described]) => ({ ...UNSET_CALENDAR, ...described })));
  });
});

describe('calls interceptors', () => {
  it('on create, and keeps the headers that they set', async () => {
    expect(await headerOf(await traced.create(optionsOf(HOURLY)))).toBe('abc');
  });

  it('whose headers stay through an update', async () => {
    const handle = await traced.create(optionsOf(HOURLY));
    await handle.update((previous) => previous);
    expect(await headerOf(handle)).toBe('abc');
    await handle.update((previous) => ({ ...previous, spec: MORNINGS }));
    expect(await headerOf(handle)).toBe('abc');
  });
});

describe('pauses', () => {
  it('and unpauses, as its state shows', async () => {
    const handle = await create(MORNINGS);
    const isPaused = async () => (await handle.describe()).state.paused;
    const shown = [await isPaused()];
    await handle.pause();
    shown.push(await isPaused());
    await handle.unpause();
    shown.push(await isPaused());
    expect(shown).toEqual([false, true, false]);
  });
});

describe('updates', () => {
  it('the calendar', async () => {
    const handle = await create(MORNINGS);
    await handle.update((previous) => ({
      ...previous,
      spec: { calendars: [{ hour: { start: 20, end: 22, step: 1 } }] },
    }));
    const { spec } = await handle.describe();
    expect(spec.calendars).toEqual([{ ...UNSET_CALENDAR, hour: [{ start: 20, end: 22, step: 1 }] }]);
  });

  it('the action: its workflow, its arguments, and an ID that it leaves out', async () => {
    const handle = await create(MORNINGS, { workflowType: mailReport, workflowId: 'mail', args: ['emea'] });
    await handle.update((previous) => ({
      ...previous,
      action: { type: 'startWorkflow', workflowType: addRows, args: [3, 4], taskQueue: 'reports' },
    }));
    const { action } = await handle.describe();
    expect(action).toMatchObject({ type: 'startWorkflow', workflowType: 'addRows', args: [3, 4] });
    expect(action).not.toHaveProperty('workflowId');
  });

  it('the intervals, in what describe returned and by Temporal’s types, and leaves the action as it was', async () => {
    const handle = await create({ intervals: [{ every: '6h' }] }, { workflowType: mailReport, args: ['emea'] });
    await handle.update((previous: ScheduleUpdateOptions) => {
      previous.spec.intervals = [{ every: '2h' }];
      return previous;
    });
    const { spec, action } = await handle.describe();
    expect(spec.intervals).toEqual([{ every: 7_200_000, offset: 0 }]);
    expect(action).toMatchObject({ workflowType: 'mailReport', args: ['emea'] });
  });

  it('nothing that is invalid: a TypeError after one call of the function', async () => {
    const handle = await create(MORNINGS);
    let calls = 0;
    const refused = handle.update((previous) => {
      calls++;
      return { ...previous, spec: { calendars: [{ hour: 25 }] } };
    });
    await expect(refused).rejects.toBeInstanceOf(TypeError);
    expect(calls).toBe(1);
    expect((await handle.describe()).info.version).toBe(1);
  });
});

describe('lists', () => {
  it('every schedule once, over pages that hold a few', async () => {
    const handles = await Promise.all(Array.from({ length: 20 }, () => create(MORNINGS)));
    const listed: string[] = [];
    for await (const { scheduleId } of client.list({ pageSize: 6 })) listed.push(scheduleId);
    expect(listed).toEqual(expect.arrayContaining(handles.map(({ scheduleId }) => scheduleId)));
    expect(new Set(listed).size).toBe(listed.length);
  });

  it('those that match a query by a search attribute', async () => {
    const of = (Team: string[]) =>
      client.create({
        ...optionsOf(MORNINGS),
        searchAttributes: { Team },
        typedSearchAttributes: [{ key: rows, value: 42 }],
      });
    const [first, second] = await Promise.all([of(['billing']), of(['billing']), of(['ops']), create(MORNINGS)]);
    const listed: string[] = [];
    for await (const { scheduleId } of client.list({ query: 'Team="billing"' })) listed.push(scheduleId);
    expect(listed).toEqual([first.scheduleId, second.scheduleId].sort());
  });
});
