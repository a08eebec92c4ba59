import { beforeEach, describe, expect, it } from 'vitest';
import type { ScheduleAlerts } from '../../../index';
import { alertsOf, closed, running, writeFiring } from '../../support/alerts/alerts';
import { someSchedule, useLedger } from '../../support/ledger';

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

describe('a schedule with rows on several pages has the same count and time at each pass', () => {
  const first = '2026-02-28T18:56:40Z';
  it.each(CASES)('%s', async (condition, columns) => {
    const opened = await alertsOf(ledger());
    await ledger().query(`select escapement.ensure_partition('2026-02-28Z')`);
    await writeFiring(ledger(), '2026-03-01T00:30:00Z', { schedule_id: 'other', ...columns });
    await repeat(20_000);
    const told: unknown[] = [];
    for (const minute of ['02', '03', '04', '05']) {
      await opened(`2026-03-01T01:${minute}:00Z`);
      const alerts = await ledger().client.alerts.list();
      told.push(...alerts.flatMap((one) => (one.condition === condition ? [`${one.count}: ${one.text}`] : [])));
    }
    expect(told).toHaveLength(4);
    expect(new Set(told).size).toBe(1);
    expect(told[0]).toMatch(condition === 'stalled' ? /^1000: .* at least 1,000 workflows/ : `of ${first}`);
  });

  it('parked', async () => {
    const opened = await alertsOf(ledger());
    await ledger().query(`insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, created_at, updated_at)
      select gen_random_uuid(), 'other', at, 0, 'parked', 'open', 'step_failed', 'default', at, at
      from generate_series(0, 20000) n, lateral (select '2026-02-27T00:00Z'::timestamptz + n * interval '1 second' as at) x`);
    const told = new Set<string>();
    for (const minute of ['02', '03', '04', '05']) {
      await opened(`2026-03-01T01:${minute}:00Z`);
      for (const one of await ledger().client.alerts.list()) if (one.condition === 'parked') told.add(one.text);
    }
    expect([...told]).toEqual([
      "Schedule 'other': at least 1,000 steps have been parked since 2026-02-27T05:33:20Z or earlier, and wait for a redrive or a discard.",
    ]);
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

/** Letters of this schedule, one for each of its firings before 00:30. */
const writeLetters = (scheduleId: string, count: number, letterId: string, kind = 'workflow') =>
  ledger().query(`insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, created_at, updated_at)
    select ${letterId}, '${scheduleId}', '2026-03-01T00:30:00Z'::timestamptz - n * interval '1 second', 0, '${kind}', 'open', 'failed',
      'default', at, at
    from generate_series(1, ${count}) n, (select '2026-03-01T00:59:10Z'::timestamptz as at) x`);
const NEWEST = ['2026-03-01T00:30:00Z', '2026-03-01T00:30:01Z', '2026-03-01T00:30:02Z'];

const LAST_ID = `'ffffffff-ffff-4fff-bfff-ffffffffffff'`;
const writeBoth = async (kind?: string) => {
  await writeLetters('many', 20_000, 'gen_random_uuid()', kind);
  await writeLetters('other', 1, LAST_ID, kind);
};

/** What writes 20,000 rows of `many` and some of `other` behind them, all at 00:59:10 or within the last hour. */
const WRITTEN: [condition: string, write: () => Promise<unknown>][] = [
  ['dead_letter', writeBoth],
  ['missed', () => writeBoth('start')],
  [
    'missed',
    () =>
      ledger().query(`insert into escapement.gaps (schedule_id, from_time, to_time, count, reason, recorded_at)
        select s, t, t, 1, 'outside_catchup_window', '2026-03-01T00:59:10Z' from generate_series(1, 20000) n,
          lateral (select '2026-03-01Z'::timestamptz - n * interval '1 minute' as t) x, (values ('many'), ('other')) v (s)
        where n = 1 or s = 'many'`),
  ],
  [
    'recovered',
    async () => {
      const recovery = JSON.stringify({ number: 2, recoveredAt: '2026-03-01T00:59:10.000Z', reason: 'trigger_lost' });
      await ledger().query(`select escapement.ensure_partition('2026-02-28Z')`);
      await writeFiring(ledger(), '2026-03-01T00:29:59Z', { schedule_id: 'many', ...linked, recovery });
      await repeat(19_999);
      await writeFiring(ledger(), '2026-03-01T00:30:00Z', { schedule_id: 'other', ...linked, recovery });
    },
  ],
  [
    'started_often',
    async () => {
      await ledger().query(`select escapement.ensure_partition('2026-03-01Z')`);
      await ledger().query(`insert into escapement.firings (schedule_id, scheduled_time, state, reason, kind, namespace, schedule_version, claimed_at)
          select s, t, 'skipped', 'paused', 'manual', 'default', 1, t from generate_series(1, 20000) n, (values ('many'), ('other')) v (s),
            lateral (select case s when 'many' then '2026-03-01T00:10:00.001Z' else '2026-03-01T00:50:00.001Z' end::timestamptz
              + n * interval '100 milliseconds' as t) x
          where n <= 11 or s = 'many'`);
    },
  ],
  [
    'failing',
    async () => {
      await writeBoth();
      for (const time of NEWEST) await writeFiring(ledger(), time, { schedule_id: 'other', ...closed('failed', time) });
    },
  ],
  [
    'skipped',
    async () => {
      const skipped = { state: 'skipped', reason: 'overlap', claimed_at: '2026-03-01T00:59:10Z' };
      await ledger().query(`select escapement.ensure_partition('2026-02-28Z')`);
      await writeFiring(ledger(), '2026-03-01T00:29:59Z', { schedule_id: 'many', ...skipped });
      await repeat(19_999);
      for (const time of NEWEST) await writeFiring(ledger(), time, { schedule_id: 'other', ...skipped });
    },
  ],
];

describe('a pass looks at 20,000 of those that were written since the former one, and the next one reads on behind them', () => {
  it.each(WRITTEN)('%s', async (condition, write) => {
    const opened = await alertsOf(ledger());
    await opened('2026-03-01T01:00:00Z');
    await write();
    expect(await opened('2026-03-01T01:00:30Z')).not.toContain(`${condition} of other`);
    // A pass that does not read on begins a minute before the former pass, after all of them.
    expect(await opened('2026-03-01T01:00:35Z')).toContain(`${condition} of other`);
  });
});
