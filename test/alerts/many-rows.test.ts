import { describe, expect, it } from 'vitest';
import { alertsOf, writeFiring } from '../support/alerts/alerts';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:00:00Z');

/** Add 1,200 firings of the same schedule before each that is there, in the same state. */
const repeat = () =>
  ledger().query(`insert into escapement.firings select (jsonb_populate_record(f, jsonb_build_object(
      'scheduled_time', f.scheduled_time - n * interval '1 second'))).*
    from escapement.firings f, generate_series(1, 1200) n`);

const linked = { state: 'linked', workflow_id: 'w', run_id: 'r', linked_at: '2026-03-01T00:30:00Z' };
const LASTING: [condition: string, columns: Record<string, unknown>][] = [
  ['late', { state: 'claimed', ready_at: '2026-03-01T00:30:00Z' }],
  ['stalled', { ...linked, stalled: 'no_worker' }],
  ['not_done', linked],
];

/** Schedules whose alert rules all conditions here exceed an hour later, and that claim nothing. */
async function create(...scheduleIds: string[]): Promise<void> {
  const policies = { alerts: { notDone: '30 minutes' } } as const;
  for (const scheduleId of scheduleIds) await ledger().client.create(someSchedule({ scheduleId, policies }));
  await ledger().query(`update escapement.timers set wake_at = '2026-03-09', next_fire_at = '2026-03-09'`);
}

describe('a thousand firings of one schedule hide no other schedule', () => {
  const takenOver = { number: 2, recoveredAt: '2026-03-01T01:00:05.000Z', reason: 'trigger_lost' };
  it.each([...LASTING, ['recovered', { ...linked, recovery: JSON.stringify(takenOver) }] as const])(
    '%s',
    async (condition, columns) => {
      await create('many', 'other');
      const opened = await alertsOf(ledger());
      ledger().clock.set('2026-03-01T01:00:06Z');
      await writeFiring(ledger(), '2026-03-01T00:30:00Z', { schedule_id: 'many', ...columns });
      await repeat();
      await writeFiring(ledger(), '2026-03-01T00:30:01Z', { schedule_id: 'other', ...columns });
      const conditions = [...(await opened('2026-03-01T01:00:10Z')), ...(await opened('2026-03-01T01:02:00Z'))];
      expect(conditions).toContain(`${condition} of many`);
      expect(conditions).toContain(`${condition} of other`);
    },
  );
});

it.each(LASTING)(
  'more than a thousand schedules in the same condition all get their alert: %s',
  async (condition, columns) => {
    await create('one');
    const opened = await alertsOf(ledger());
    await writeFiring(ledger(), '2026-03-01T00:30:00Z', { schedule_id: 'one', ...columns });
    for (const table of ['schedules', 'schedule_versions', 'timers', 'firings'])
      await ledger().query(`insert into escapement.${table}
      select (jsonb_populate_record(t, jsonb_build_object('schedule_id', 'one-' || n))).*
      from escapement.${table} t, generate_series(1, 1000) n`);
    for (const minute of ['02', '03', '04']) await opened(`2026-03-01T01:${minute}:00Z`);
    const alerts = `select from escapement.alerts where condition = $1 and schedule_id like 'one%'`;
    expect(await ledger().query(alerts, [condition])).toHaveLength(1_001);
  },
);

it('a pass reminds of every alert that is due, however many they are', async () => {
  const { client, clock } = ledger();
  const { passes } = await ledger().trigger();
  await passes.alert();
  await client.create(someSchedule({ scheduleId: 'many' }));
  await ledger().query(`insert into escapement.alerts (alert_id, condition, subject, tenant, schedule_id, opened_at, last_seen_at, looked_at, told_at, count, text)
    select gen_random_uuid(), 'missed', 'many-' || n, '', 'many', at, at, at, at, 1, 'an occurrence did not fire'
    from generate_series(1, 600) n, (select '2026-03-01T00:01:00Z'::timestamptz as at) x`);
  clock.set('2026-03-01T04:01:00Z');
  const { reminded } = await passes.alert();
  expect(reminded.filter(({ condition }) => condition === 'missed')).toHaveLength(600);
});
