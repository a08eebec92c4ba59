import type { CreateScheduleInput, Next, ScheduleClientInterceptor } from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';
import { expect, it } from 'vitest';
import { ScheduleConflictError } from '../../../index';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-12-23T12:00:00Z');

it('a create during whose five attempts others change its calendar says so, and writes nothing', async () => {
  const { client } = ledger();
  await client.calendars.put('de-holidays', { days: [{ day: '2026-12-25' }] });
  let year = 2030;
  // A client encodes the arguments after it has read the calendar, and before it writes the schedule.
  const changing: PayloadCodec = {
    encode: async (payloads) => {
      await client.calendars.put('de-holidays', { days: [{ day: `${year++}-12-25` }] });
      return payloads;
    },
    decode: async (payloads) => payloads,
  };
  const schedule = someSchedule({ scheduleId: 'nightly', spec: { cron: '0 2 * * *', skipDays: ['de-holidays'] } });
  const withArguments = { ...schedule, action: { ...schedule.action, args: [1] } };
  // The error names the ID that an interceptor gave.
  const renaming = {
    create: (input: CreateScheduleInput, next: Next<ScheduleClientInterceptor, 'create'>) =>
      next({ ...input, options: { ...input.options, scheduleId: 'nightly-eu' } }),
  };
  const disturbed = ledger().newClient({ dataConverter: { payloadCodecs: [changing] }, interceptors: [renaming] });
  await expect(disturbed.create(withArguments)).rejects.toThrow(
    new ScheduleConflictError(
      'nightly-eu',
      0,
      0,
      'was not created: others changed its calendars during all of the 5 attempts; try again',
    ),
  );
  expect(year).toBe(2035);
  expect(await ledger().query('select * from escapement.schedules')).toEqual([]);
  await client.create(withArguments);
});

it('an update that returns the spec unchanged gives it the new days, and keeps its registered form', async () => {
  const { client } = ledger();
  await client.calendars.put('de-holidays', { days: ['2026-12-25'] });
  const spec = { cronExpressions: ['0 2 * * MON-FRI'], skipDays: ['de-holidays'] };
  const handle = await client.create(someSchedule({ spec }));
  // As if a put had ended after it had written the calendar.
  await ledger().query(`update escapement.calendars set days = '2026-12-30'`);
  await handle.update((previous) => ({ ...previous, state: { ...previous.state, note: 'audited' } }));
  const { definition, info } = await handle.describe();
  expect(definition.spec).toEqual({ ...spec, calendarDays: { 'de-holidays': '2026-12-30' } });
  expect(info.version).toBe(2);
});
