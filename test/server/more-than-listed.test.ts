import { beforeEach, describe, expect, it } from 'vitest';
import { useApi } from '../support/api';
import { someSchedule } from '../support/ledger';

const api = useApi({}, '2026-03-05T06:40:00Z');
const query = (text: string, values: unknown[] = []) => api().ledger.query(text, values);
const ask = async (path: string, tenant?: string) => {
  const of = tenant === undefined ? undefined : api().open({ tenant });
  const { status, body, text } = await api().ask({ url: `/v1/${path}`, ...(of ? { of } : {}) });
  expect(status, text).toBe(200);
  return body;
};

it('of more open alerts than a page has, critical ones come first and all are counted, also for a tenant', async () => {
  await api().ledger.client.create(someSchedule({ scheduleId: 'of-acme', tenant: 'acme' }));
  const insert = (condition: string, openedAt: string, count: number) =>
    query(
      `insert into escapement.alerts (alert_id, condition, subject, tenant, schedule_id, opened_at, last_seen_at, looked_at, count, text)
        select gen_random_uuid(), $1, 'of-acme' || n, 'acme', 'of-acme', $2, $2, $2, 1, $1 || ' ' || n from generate_series(1, $3::int) n`,
      [condition, openedAt, count],
    );
  await insert('schedule_set_aside', '2026-03-05T05:00:00Z', 1);
  await insert('skipped', '2026-03-05T06:00:00Z', 201);
  for (const tenant of [undefined, 'acme']) {
    const { alerts, openAlerts } = await ask('overview', tenant);
    expect(alerts[0]).toMatchObject({ condition: 'schedule_set_aside' });
    expect({ shown: alerts.length, ...openAlerts }).toEqual({ shown: 200, total: 202, notAcknowledged: 202 });
  }
  // Worse is only that no trigger is alive.
  const [worstOfTenant] = (await ask('overview', 'acme')).verdict.others;
  expect(worstOfTenant).toMatchObject({ id: 'schedule_set_aside', severity: 'critical' });
  const worst = await ask('alerts?order=worst&limit=1');
  expect(worst).toMatchObject({ alerts: [{ text: 'schedule_set_aside 1' }], total: 202 });
  expect((await ask('alerts?limit=1')).alerts).not.toMatchObject(worst.alerts);
});

it('a page of paused schedules has also long names', async () => {
  const names = Array.from({ length: 50 }, (_, n) => `${'payroll-'.repeat(26)}${n}`);
  const action = { ...someSchedule().action, workflowId: 'payroll' };
  const create = (scheduleId: string) =>
    api().ledger.client.create(someSchedule({ scheduleId, action, state: { paused: true } }));
  await Promise.all(names.map(create));
  const { rows, total } = await ask('schedule-rows?orderBy=pausedAt');
  expect({ shown: rows.length, total }).toEqual({ shown: 50, total: 50 });
});

describe('of more schedules in trouble than are listed', () => {
  /** So many schedules of another tenant, with timers. */
  const fill = (count: number, paused = false) =>
    query(
      `with s as (insert into escapement.schedules (schedule_id, version, created_at, tenant, paused, paused_at)
          select 'other-' || n, 1, now(), 'other', $2::bool, case when $2 then '2026-03-05T06:00Z'::timestamptz end from generate_series(1, $1::int) n),
        v as (insert into escapement.schedule_versions (schedule_id, version, namespace, spec, action, policies, created_at)
          select 'other-' || n, 1, v.namespace, v.spec, v.action, v.policies, now()
          from escapement.schedule_versions v, generate_series(1, $1::int) n where v.schedule_id = 'payroll')
        insert into escapement.timers (schedule_id, spec_format, wake_at, next_fire_at, answered_to)
          select 'other-' || n, 1, '2026-03-05T05:00Z', '2026-03-05T05:00Z', '2026-03-05T04:00Z' from generate_series(1, $1::int) n`,
      [count, paused],
    );
  const idsOf = ({ rows }: { rows: { scheduleId: string }[] }) => rows.map(({ scheduleId }) => scheduleId);

  beforeEach(async () => {
    await api().ledger.client.create(someSchedule({ scheduleId: 'payroll', tenant: 'acme' }));
    await query(`select escapement.ensure_partition('2026-03-01Z')`);
  });

  it('a text or a tenant finds those that were paused before the others, and the list says that it is cut', async () => {
    await api().ledger.client.getHandle('payroll').pause('wages by hand');
    await query(`update escapement.schedules set paused_at = '2026-01-01Z'`);
    await fill(1_000, true);
    expect(await ask('schedule-rows?orderBy=pausedAt')).toMatchObject({ total: 1_000, isCut: true });
    for (const text of ['PAYroll', 'wages']) {
      const found = await ask(`schedule-rows?orderBy=pausedAt&text=${text}`);
      expect({ ids: idsOf(found), ...found }).toMatchObject({ ids: ['payroll'], total: 1, isCut: false });
    }
    expect(idsOf(await ask('schedule-rows?orderBy=pausedAt', 'acme'))).toEqual(['payroll']);
  });

  it('a text or a tenant finds the late one behind ten thousand others', async () => {
    await query(`update escapement.timers set wake_at = '2026-03-05T06:00Z', next_fire_at = '2026-03-05T06:00Z'`);
    await fill(10_000);
    expect(await ask('schedule-rows?orderBy=late')).toMatchObject({ total: 1_000, isCut: true });
    expect(idsOf(await ask('schedule-rows?orderBy=late&text=payroll'))).toEqual(['payroll']);
    expect(idsOf(await ask('schedule-rows?orderBy=late', 'acme'))).toEqual(['payroll']);
  });

  it('a text or a tenant finds the failing one behind thousands of newer failures of others', async () => {
    await fill(1_001);
    const fail = (times: string) =>
      query(
        `insert into escapement.firings (schedule_id, scheduled_time, state, outcome, kind, namespace, schedule_version, workflow_id, claimed_at, closed_at)
          select s.schedule_id, t, 'closed', 'failed', 'schedule', 'default', 1, s.schedule_id || t, t, t
          from escapement.schedules s, ${times} as times (t) where (s.schedule_id <> 'payroll') = (t > '2026-03-05T00:00Z')`,
      );
    await fail(`(values ('2026-03-04T06:00Z'::timestamptz), ('2026-03-05T06:00Z'), ('2026-03-05T06:10Z'))`);
    for (const order of ['failing', 'lastOutcome']) {
      expect(await ask(`schedule-rows?orderBy=${order}`)).toMatchObject({ total: 1_000, isCut: true });
      expect(idsOf(await ask(`schedule-rows?orderBy=${order}&text=payroll`))).toEqual(['payroll']);
      expect(idsOf(await ask(`schedule-rows?orderBy=${order}`, 'acme'))).toEqual(['payroll']);
    }
  });

  const write = (scheduleId: string, count: number, columns: string, values: string) =>
    query(
      `insert into escapement.firings (schedule_id, scheduled_time, kind, namespace, schedule_version, claimed_at, ${columns})
        select $1, t, 'schedule', 'default', 1, t, ${values}
        from generate_series(1, $2::int) n, lateral (select '2026-03-05T06:00Z'::timestamptz - n * interval '1 second' as t) x`,
      [scheduleId, count],
    );

  it('a failing schedule is found behind thousands of newer skips', async () => {
    await fill(1);
    await write('other-1', 2_500, 'state, reason', `'skipped', 'overlap'`);
    await query(`update escapement.firings set scheduled_time = scheduled_time + interval '39 minutes'`);
    await write('payroll', 1, 'state, outcome, closed_at', `'closed', 'failed', t`);
    const found = await ask('schedule-rows?orderBy=failing');
    expect({ ids: idsOf(found), ...found }).toMatchObject({ ids: ['payroll'], total: 1, isCut: false });
  });

  it.each([
    ['nobody has announced', 'state, task_queue, ready_at', `'claimed', 'reports', t`],
    [
      'somebody has announced',
      'state, task_queue, first_attempted_at, start_attempted_at, owner, check_at',
      `'claimed', 'reports', t, t, gen_random_uuid(), '2026-03-05T07:00Z'`,
    ],
  ])('a late schedule is found behind ten thousand claims of another, whose start %s', async (_, columns, values) => {
    await fill(2);
    await query(`update escapement.timers set wake_at = '2026-03-09', next_fire_at = '2026-03-09'`);
    await write('other-1', 10_500, columns, values);
    await write('other-2', 150, columns, values);
    await write('payroll', 1, columns, values);
    await query(`update escapement.firings set namespace = 'later', check_at = check_at + interval '1 hour',
      scheduled_time = scheduled_time + interval '30 minutes' where schedule_id <> 'other-1'`);
    const found = await ask('schedule-rows?orderBy=late');
    expect({ ids: idsOf(found), ...found }).toMatchObject({
      ids: ['other-1', 'other-2', 'payroll'],
      total: 3,
      isCut: false,
    });
    // Of another one's claims, too many would be read to count them all.
    expect(found.rows[1].trouble).toMatchObject({ count: 100 });
    expect(found.rows[2].trouble).toMatchObject({ count: 1 });
  });

  describe('the list of failing ones says that it is cut', () => {
    it('where the only ones that were read have recovered', async () => {
      await fill(1);
      await write('other-1', 1_200, 'state, outcome, closed_at', `'closed', 'failed', t`);
      await end('completed', '2026-03-05T06:10Z', 1);
      expect(await ask('schedule-rows?orderBy=failing')).toMatchObject({ rows: [], total: 0, isCut: true });
    });

    const end = (outcome: string, time: string, schedules: number) =>
      query(
        `insert into escapement.firings (schedule_id, scheduled_time, state, outcome, kind, namespace, schedule_version, workflow_id, claimed_at, closed_at)
          select 'other-' || n, t, 'closed', $1, 'schedule', 'default', 1, 'other-' || n || t, t, t
          from generate_series(1, $3::int) n, (select $2::timestamptz as t) x`,
        [outcome, time, schedules],
      );

    it('where more than a thousand fail, and others recovered', async () => {
      await fill(1_600);
      await end('failed', '2026-03-05T06:00Z', 1_600);
      await end('completed', '2026-03-05T06:10Z', 200);
      for (const tenant of [undefined, 'other']) {
        expect(await ask('schedule-rows?orderBy=failing', tenant)).toMatchObject({ isCut: true });
      }
      expect(await ask('schedule-rows?orderBy=failing')).toMatchObject({ total: 1_000 });
      const few = await ask('schedule-rows?orderBy=failing&text=other-159');
      expect(few).toMatchObject({ total: 10, isCut: false });
    });

    it('where failures of a few are newer than those of all others', async () => {
      await fill(700);
      for (const minute of ['00', '10', '20']) await end('failed', `2026-03-05T06:${minute}Z`, 680);
      await end('failed', '2026-03-05T05:00Z', 700);
      expect(await ask('schedule-rows?orderBy=failing')).toMatchObject({ total: 680, isCut: true });
      expect(await ask('schedule-rows?orderBy=failing', 'other')).toMatchObject({ total: 700, isCut: false });
    });
  });
});
