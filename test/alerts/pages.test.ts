import { beforeEach, describe, expect, it } from 'vitest';
import type { ScheduleAlerts } from '../../index';
import { alertsOf, running, writeFiring } from '../support/alerts/alerts';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:00:00Z');

/** A schedule with its own rules. Its timer is off, and the test writes its firings. */
async function create(scheduleId: string, alerts: ScheduleAlerts): Promise<void> {
  await ledger().client.create(someSchedule({ scheduleId, policies: { alerts } }));
  await ledger().query(`update escapement.timers set wake_at = '2026-03-09', next_fire_at = '2026-03-09'`);
}

/** Add firings of the same schedule before the one that is there, in the same state. */
const repeat = (count: number) =>
  ledger().query(`insert into escapement.firings select (jsonb_populate_record(f, jsonb_build_object(
      'scheduled_time', f.scheduled_time - n * interval '1 second'))).*
    from escapement.firings f, generate_series(1, ${count}) n`);

beforeEach(async () => {
  await create('many', { late: false, notDone: false, runningLong: false });
  await create('other', { late: '1 minute', notDone: '30 minutes', runningLong: '30 minutes' });
});

const waiting = { state: 'claimed', ready_at: '2026-03-01T00:30:00Z' };
const linked = running('2026-03-01T00:30:00Z');
/** Each condition, and the columns of firings that may be in it. */
const CASES: [condition: string, columns: Record<string, unknown>, ofMany?: Record<string, unknown>][] = [
  ['late', waiting, { namespace: 'away' }],
  ['not_done', linked],
  ['running_long', running('2026-03-01T00:30:01Z'), linked],
  ['stalled', { ...linked, stalled: 'no_worker' }],
];

describe('however many firings stay that open no alert, one behind them gets its own', () => {
  it.each(CASES)('%s', async (condition, columns, ofMany = {}) => {
    const opened = await alertsOf(ledger());
    await ledger().query(`update escapement.triggers set heartbeat_at = '2026-03-09', away = $1`, [
      JSON.stringify([{ namespace: 'away', since: '2026-03-01T00:00:00Z', error: 'no answer' }]),
    ]);
    await ledger().query(`select escapement.ensure_partition('2026-02-28Z')`);
    await writeFiring(ledger(), '2026-03-01T00:29:59Z', { schedule_id: 'many', ...columns, ...ofMany });
    await repeat(20_000);
    await writeFiring(ledger(), '2026-03-01T00:30:00Z', { schedule_id: 'other', ...columns });
    const conditions: string[] = [];
    for (const time of ['01:00', '01:30', '02:00', '02:30', '03:00', '03:30', '04:00', '05:00', '06:00', '07:00']) {
      if (!conditions.includes(`${condition} of other`)) conditions.push(...(await opened(`2026-03-01T01:${time}Z`)));
    }
    expect(conditions).toContain(`${condition} of other`);
    if (condition !== 'stalled') expect(conditions).not.toContain(`${condition} of many`);
  });
});

it('running_long of a workflow waits for no turn of the firings before it that have not begun', async () => {
  const opened = await alertsOf(ledger());
  await ledger().query(`select escapement.ensure_partition('2026-02-28Z')`);
  await writeFiring(ledger(), '2026-03-01T00:29:59Z', { schedule_id: 'many', ...waiting, ready_at: null });
  await repeat(5_000);
  await writeFiring(ledger(), '2026-03-01T00:30:00Z', { schedule_id: 'other', ...linked });
  expect(await opened('2026-03-01T01:01:00Z')).toContain('running_long of other');
});
