import { expect, it } from 'vitest';
import type { FreezeOptions } from '../../index';
import { useApi } from '../support/api';
import { someSchedule } from '../support/ledger';

const api = useApi();

it('a freeze is tried, created, listed, shown and ended; what is asked for by hand needs duringFreeze', async () => {
  const { ledger, ask } = api();
  await ledger.client.create(someSchedule({ scheduleId: 'hourly' }));
  const body = { scheduleIds: ['hourly'], to: '2026-03-01T06:00:00+02:00', note: 'release 12' };
  const planned = await ask({ method: 'POST', url: '/v1/freezes', body: { ...body, dryRun: true } });
  expect(planned).toMatchObject({
    status: 200,
    body: { schedules: 1, frozen: [{ scheduleId: 'hourly', occurrences: 3, first: '2026-03-01T01:00:00.000Z' }] },
  });
  const created = await ask({ method: 'POST', url: '/v1/freezes', body });
  expect(created).toMatchObject({
    status: 201,
    body: { schedules: 1, handedOver: [], freeze: { to: '2026-03-01T04:00:00.000Z', catchUp: 'NONE', actor: 'api' } },
  });
  const { freeze } = created.body;
  expect((await ask({ url: '/v1/freezes' })).body).toEqual({ freezes: [freeze] });
  expect((await ask({ url: `/v1/freezes/${freeze.freezeId}` })).body).toEqual(freeze);
  const trigger = { method: 'POST', url: '/v1/schedules/hourly/trigger' } as const;
  expect(await ask(trigger)).toMatchObject({
    status: 409,
    body: { type: expect.stringContaining('schedule-frozen'), freezeId: freeze.freezeId },
  });
  expect((await ask({ ...trigger, body: { duringFreeze: true } })).status).toBe(201);
  const ranges = [{ start: '2026-02-28T00:00:00Z', end: '2026-02-28T01:00:00Z' }];
  const backfill = { method: 'POST', url: '/v1/schedules/hourly/backfill' } as const;
  expect((await ask({ ...backfill, body: { ranges } })).status).toBe(409);
  expect(await ask({ ...backfill, body: { ranges, duringFreeze: true } })).toMatchObject({
    status: 200,
    body: { filled: 2 },
  });
  const ended = await ask({ method: 'POST', url: `/v1/freezes/${freeze.freezeId}/end` });
  expect(ended).toMatchObject({ status: 200, body: { endedBy: 'api' } });
  expect((await ask({ url: '/v1/freezes' })).body).toEqual({ freezes: [] });
  expect((await ask({ url: '/v1/freezes?ended=true' })).body).toEqual({ freezes: [ended.body] });
  expect((await ask({ method: 'POST', url: `/v1/freezes/${freeze.freezeId}/end` })).status).toBe(404);
  for (const wrong of [{ to: 'soon', all: true }, { to: body.to }, { ...body, too: 1 }]) {
    expect((await ask({ method: 'POST', url: '/v1/freezes', body: wrong })).status).toBe(400);
  }
});

it('the overview has the freezes in force that concern the caller, however many are planned; reasons are for their own', async () => {
  const { ledger, ask, open } = api();
  const freezes = async (tenant?: string) =>
    (await ask({ url: '/v1/overview', ...(tenant ? { of: open({ tenant }) } : {}) })).body.freezes;
  const until = (minutes: number) => new Date(ledger.clock.now() + minutes * 60_000);
  const freeze = (options: Partial<FreezeOptions>) => ledger.client.freezes.create({ to: until(60), ...options });
  await freeze({ tenant: 'acme', to: until(30), note: 'of acme' });
  await freeze({ all: true, note: 'a release' });
  await freeze({ tenant: 'other', note: 'of another' });
  const over = await freeze({ all: true });
  await ledger.client.freezes.end(over.freeze.freezeId!);
  await ledger.query(`insert into escapement.freezes select (jsonb_populate_record(f, jsonb_build_object(
      'freeze_id', gen_random_uuid(), 'from_time', f.to_time, 'to_time', f.to_time + interval '1 hour'))).*
    from escapement.freezes f, generate_series(1, 200) where f.note = 'a release'`);
  const [inHalf, inOne] = [until(30).toISOString(), until(60).toISOString()];
  expect(await freezes('acme')).toEqual([
    { to: inOne, note: null },
    { to: inHalf, note: 'of acme' },
  ]);
  expect(await freezes()).toEqual([
    { to: inOne, note: 'a release' },
    { to: inHalf, note: 'of acme' },
    { to: inOne, note: 'of another' },
  ]);
});

it('a calendar is tried, put, listed, shown, previewed with and deleted once nothing names it', async () => {
  const { ledger, ask } = api();
  const url = '/v1/calendars/de-holidays';
  const put = (body: object) => ask({ method: 'PUT', url, body });
  const ics = [
    'BEGIN:VCALENDAR',
    'BEGIN:VEVENT',
    'UID:1',
    'DTSTART;VALUE=DATE:20260302',
    'END:VEVENT',
    'END:VCALENDAR',
  ];
  expect(await put({ ics: ics.join('\r\n') })).toMatchObject({
    status: 200,
    body: { status: 'created', added: ['2026-03-02'] },
  });
  const spec = { cron: '0 2 * * *', skipDays: ['de-holidays'] };
  await ledger.client.create(someSchedule({ scheduleId: 'nightly', spec }));
  expect(await put({ days: ['2026-03-03'], dryRun: true })).toMatchObject({
    body: { status: 'changed', changes: [{ scheduleId: 'nightly', fewer: 1, more: 1 }] },
  });
  const day = { day: '2026-03-03', label: 'Carnival' };
  expect(await put({ days: [day] })).toMatchObject({ body: { status: 'changed', schedules: 1, failed: [] } });
  expect((await ask({ url: '/v1/calendars' })).body).toMatchObject({
    calendars: [{ name: 'de-holidays', schedules: 1, behind: 0 }],
  });
  expect((await ask({ url })).body).toMatchObject({ name: 'de-holidays', days: [day], actor: 'api' });
  const preview = await ask({ method: 'POST', url: '/v1/preview', body: { spec, count: 3 } });
  expect(preview.body).toEqual({
    description: ['At 02:00', 'Not on days of de-holidays'],
    times: ['2026-03-01T02:00:00.000Z', '2026-03-02T02:00:00.000Z', '2026-03-04T02:00:00.000Z'],
  });
  const explained = await ask({ url: '/v1/schedules/nightly/explain?time=2026-03-03T02:00:00Z' });
  expect(explained.body).toMatchObject({
    answer: 'not_an_occurrence',
    skipped: { part: 'skipDays', entries: ['de-holidays'] },
  });
  expect(await ask({ method: 'DELETE', url })).toMatchObject({
    status: 409,
    body: {
      type: expect.stringContaining('calendar-in-use'),
      detail: expect.stringContaining("is named by 'nightly'"),
    },
  });
  const patched = await ask({
    method: 'PATCH',
    url: '/v1/schedules/nightly?force=true',
    body: { spec: { cron: '0 2 * * *', skipDays: ['de-holiday'] } },
  });
  expect(patched).toMatchObject({ status: 400, body: { errors: [{ path: 'spec.skipDays[0]' }] } });
  await ledger.client.getHandle('nightly').delete();
  expect((await ask({ method: 'DELETE', url })).status).toBe(204);
  expect((await ask({ url })).status).toBe(404);
  for (const wrong of [{}, { days: ['2026-02-30'] }, { ics: 'hello' }, { dayz: [] }]) {
    expect((await put(wrong)).status).toBe(400);
  }
});

it('a preview counts on the calendars of the tenant that it names, and only of one that the caller sees', async () => {
  const { ask, open } = api();
  const url = '/v1/calendars/holidays';
  await ask({ method: 'PUT', url, body: { days: ['2026-03-01'] } });
  await ask({ method: 'PUT', url: `${url}?tenant=acme`, body: { days: ['2026-03-02'] } });
  const spec = { cron: '0 2 * * *', skipDays: ['holidays'] };
  const preview = (tenant: string | undefined, of?: ReturnType<typeof open>) =>
    ask({ method: 'POST', url: '/v1/preview', body: { spec, tenant, count: 1 }, ...(of ? { of } : {}) });
  const [of1st, of2nd] = ['2026-03-01T02:00:00.000Z', '2026-03-02T02:00:00.000Z'];
  expect((await preview('acme')).body.times).toEqual([of1st]);
  for (const none of [undefined, '']) expect((await preview(none)).body.times).toEqual([of2nd]);
  expect((await preview(undefined, open({ tenant: 'acme' }))).body.times).toEqual([of1st]);
  expect(await preview('acme', open({ tenant: 'other' }))).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'tenant' }] },
  });
});
