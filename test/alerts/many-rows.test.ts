import { describe, expect, it } from 'vitest';
import { ALERT_RULES } from '../../core/alert-defaults';
import { readFrozen } from '../../store/alerts/frozen';
import { openStore } from '../../store/connection';
import { alertsAt, alertsOf, closed, running, writeFiring } from '../support/alerts/alerts';
import { watchedPool } from '../support/connections/watched-pool';
import { someSchedule, useLedger } from '../support/ledger';
import { mostRead } from '../support/statements/plans';

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

/** Add copies of the schedule `one` to these tables, with their own IDs. */
async function copy(count: number, ...tables: string[]): Promise<void> {
  for (const table of tables)
    await ledger().query(`insert into escapement.${table}
      select (jsonb_populate_record(t, jsonb_build_object('schedule_id', 'one-' || n))).*
      from escapement.${table} t, generate_series(1, ${count}) n where t.schedule_id = 'one'`);
}

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
    await copy(1_000, 'schedules', 'schedule_versions', 'timers', 'firings');
    for (const minute of ['02', '03', '04']) await opened(`2026-03-01T01:${minute}:00Z`);
    const alerts = `select from escapement.alerts where condition = $1 and schedule_id like 'one%'`;
    expect(await ledger().query(alerts, [condition])).toHaveLength(1_001);
  },
);

/** The alerts of a schedule, by a trigger whose statements are noted. */
async function watched() {
  await create('one');
  const statements: [string, unknown[]][] = [];
  const pool = watchedPool(ledger(), { before: (text, values) => statements.push([text, values]) });
  const { passes } = await ledger().trigger({ pool });
  await passes.alert();
  const opened = (time: string) => alertsAt(passes, ledger().clock, time);
  return { opened, statements };
}

/** Hold each of these statements against how many rows it may read. */
async function expectFewRead(statements: [string, unknown[]][], atMost: number) {
  for (const [text, values] of statements) {
    await ledger().query('begin');
    const [row] = await ledger().query(`explain (analyze, format json) ${text}`, values);
    await ledger().query('rollback');
    expect(mostRead(row!['QUERY PLAN'][0].Plan), text).toBeLessThanOrEqual(atMost);
  }
}

/** Ten runs of a schedule that took twenty seconds each, and a trigger whose statements are noted. */
async function usualRuns() {
  const { opened, statements } = await watched();
  const day = '2026-02-10T00';
  for (let minute = 10; minute < 20; minute++) {
    const ended = closed('completed', `${day}:${minute}:20Z`, `${day}:${minute}:00Z`);
    await writeFiring(ledger(), `${day}:${minute}:00Z`, { schedule_id: 'one', ...ended });
  }
  return { day, opened, statements };
}

it('running_long stays open while 100,000 firings are skipped because of it, and few of them are read', async () => {
  const { day, opened, statements } = await usualRuns();
  await writeFiring(ledger(), `${day}:20:00Z`, { schedule_id: 'one', ...running(`${day}:20:00Z`) });
  expect(await opened('2026-03-01T00:02:00Z')).toContain('running_long of one');

  await ledger().query(`insert into escapement.firings (schedule_id, scheduled_time, state, reason, kind, namespace,
      schedule_version, claimed_at)
    select 'one', t, 'skipped', 'overlap', 'schedule', 'default', 1, t
    from (select '${day}:20:00Z'::timestamptz + n * interval '1 second' as t from generate_series(1, 100000) n) x`);
  await ledger().query('analyze escapement.firings');
  statements.length = 0;
  expect(await opened('2026-03-01T00:04:00Z')).not.toContain('running_long is over');
  await ledger().query('delete from escapement.alerts');
  expect(await opened('2026-03-01T00:06:00Z')).toContain('running_long of one');
  const read = statements.filter(([text]) => text.includes('p.closed_at - greatest(p.linked_at'));
  // The one that opens the alert, and the one that would end it.
  expect(new Set(read.map(([text]) => text)).size).toBeGreaterThan(1);
  await expectFewRead(read, 999);
});

it.each(['missed', 'failing'])(
  'the end of %s is found by reading few of 50,000 firings that were skipped since',
  async (condition) => {
    const { opened, statements } = await watched();
    await ledger().query(`select escapement.ensure_partition('2026-02-10Z'::timestamptz)`);
    await ledger().query(`insert into escapement.firings (schedule_id, scheduled_time, state, reason, kind, namespace,
      schedule_version, claimed_at)
    select 'one', t, 'skipped', 'overlap', 'schedule', 'default', 1, t
    from (select '2026-02-10Z'::timestamptz + n * interval '20 seconds' as t from generate_series(1, 50000) n) x`);
    await ledger().query('analyze escapement.firings');
    await ledger().query(
      `insert into escapement.alerts (alert_id, condition, subject, tenant, schedule_id, opened_at, last_seen_at, looked_at, count, text)
     select gen_random_uuid(), $1, 'one', '', 'one', at, at, at, 1, 'text' from (values ('2026-02-28Z'::timestamptz)) v (at)`,
      [condition],
    );
    statements.length = 0;
    expect(await opened('2026-03-01T00:02:00Z')).not.toContain(`${condition} is over`);
    const read = statements.filter(([text]) =>
      text.includes("f.outcome = 'completed' and f.closed_at > a.last_seen_at"),
    );
    expect(read.length).toBeGreaterThan(0);
    await expectFewRead(read, 2_000);
    for (const minute of [10, 11, 12, 13, 14]) {
      const ended = closed('completed', `2026-03-01T00:${minute}:20Z`, `2026-03-01T00:${minute}:00Z`);
      await writeFiring(ledger(), `2026-03-01T00:${minute}:00Z`, { schedule_id: 'one', ...ended });
    }
    expect(await opened('2026-03-01T00:20:00Z')).toContain(`${condition} is over`);
  },
);

it('running_long also opens for a firing that waited while more than a hundred later ones were skipped', async () => {
  await create('one');
  const opened = await alertsOf(ledger());
  const day = '2026-02-10T00';
  for (let minute = 10; minute < 20; minute++) {
    const ended = closed('completed', `${day}:${minute}:20Z`, `${day}:${minute}:00Z`);
    await writeFiring(ledger(), `${day}:${minute}:00Z`, { schedule_id: 'one', ...ended });
  }
  await writeFiring(ledger(), `${day}:20:00Z`, { schedule_id: 'one', ...running('2026-02-10T03:00:00Z') });
  await ledger().query(`insert into escapement.firings (schedule_id, scheduled_time, state, reason, kind, namespace,
      schedule_version, claimed_at)
    select 'one', t, 'skipped', 'overlap', 'schedule', 'default', 1, t
    from (select '${day}:20:00Z'::timestamptz + n * interval '1 minute' as t from generate_series(1, 150) n) x`);
  expect(await opened('2026-03-01T00:02:00Z')).toContain('running_long of one');
});

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

it('firings that wait are read for freezes only while a freeze is in force and some schedule has a deadline', async () => {
  await create('one');
  await writeFiring(ledger(), '2026-03-01T00:30:00Z', { schedule_id: 'one', state: 'buffered' });
  ledger().clock.set('2026-03-01T01:00:00Z');
  const statements: [string, unknown[]][] = [];
  const pool = watchedPool(ledger(), { before: (text, values) => statements.push([text, values]) });
  const store = openStore({ pool });
  ledger().beforeClose(() => store.close());
  const firingsRead = async () => {
    await readFrozen(store, { now: new Date(ledger().clock.now()), rules: ALERT_RULES, places: {} });
    const [text, values] = statements.find(([sent]) => sent.includes('not_done'))!;
    const [row] = await ledger().query(`explain (analyze, format json) ${text}`, values);
    return mostRead(row!['QUERY PLAN'][0].Plan);
  };
  const { freezes } = ledger().client;
  const [from, to] = [new Date('2026-03-01T03:00:00Z'), new Date('2026-03-01T05:00:00Z')];
  await freezes.create({ all: true, from, to });
  const { freeze } = await freezes.create({ all: true, to });
  await freezes.end(freeze.freezeId!);
  expect(await firingsRead()).toBe(0);
  await freezes.create({ all: true, to });
  expect(await firingsRead()).toBeGreaterThan(0);
  await ledger().query(`update escapement.schedule_versions set policies = '{}'`);
  expect(await firingsRead()).toBe(0);
});

const DUE = `next_fire_at = '2026-03-01T00:30Z', answered_to = '2026-03-01Z'`;
it.each([
  ['schedule_set_aside', 'set aside', `update escapement.schedules set spec_error = 'unknown zone'`],
  ['overdue', 'forgotten', `update escapement.timers set next_fire_at = null, wake_at = 'infinity'`],
  ['overdue', 'due', `update escapement.timers set ${DUE}, wake_at = '2026-03-01T00:30Z'`],
  ['overdue', 'due and asleep', `update escapement.timers set ${DUE}, wake_at = 'infinity'`],
  ['not_done', 'due', `update escapement.timers set ${DUE}, wake_at = '2026-03-01T00:30Z'`],
])('more than a thousand schedules that do not fire all get their alert: %s, %s', async (condition, _, change) => {
  await create('one');
  const opened = await alertsOf(ledger());
  await ledger().query(change);
  await copy(1_000, 'schedules', 'schedule_versions', 'timers');
  for (const minute of ['02', '03', '04']) await opened(`2026-03-01T01:${minute}:00Z`);
  const alerts = `select from escapement.alerts where condition = $1 and schedule_id like 'one%'`;
  expect(await ledger().query(alerts, [condition])).toHaveLength(1_001);
});

describe('hundreds of schedules that a claim leaves alone hide no overdue one', () => {
  it.each([
    ['set aside', `wake_at = '2026-03-01T00:30Z'`, `spec_error = 'unknown zone'`, `wake_at = '2026-03-01T00:45Z'`],
    ['frozen', `wake_at = '2026-03-09Z'`, 'spec_error = null', `wake_at = 'infinity'`],
  ])('%s', async (_, wakeOfMany, many, wakeOfOther) => {
    await create('one', 'other');
    const opened = await alertsOf(ledger());
    await ledger().query(`update escapement.schedules set ${many} where schedule_id = 'one'`);
    const setTimer = (scheduleId: string, time: string, wakeAt: string) =>
      ledger().query(
        `update escapement.timers set next_fire_at = $2, answered_to = '2026-03-01Z', ${wakeAt} where schedule_id = $1`,
        [scheduleId, time],
      );
    await setTimer('one', '2026-03-01T00:30:00Z', wakeOfMany);
    await setTimer('other', '2026-03-01T00:45:00Z', wakeOfOther);
    await copy(300, 'schedules', 'schedule_versions', 'timers');
    expect(await opened('2026-03-01T01:00:00Z')).toContain('overdue of other');
  });
});

it('the end of running_long is found among a thousand running firings by reading few of them', async () => {
  const { day, opened, statements } = await usualRuns();
  const old = (columns: object) => writeFiring(ledger(), `${day}:20:00Z`, { schedule_id: 'one', ...columns });
  await old(running(`${day}:20:00Z`));
  await ledger().query(`select escapement.ensure_partition('2026-03-01Z'::timestamptz)`);
  await ledger().query(`insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace,
      schedule_version, workflow_id, run_id, claimed_at, linked_at)
    select 'one', '2026-03-01T00:01:30Z'::timestamptz - n * interval '1 minute', 'linked', 'backfill', 'default', 1, 'w', 'r',
      '2026-03-01T00:01:30Z', '2026-03-01T00:01:30Z' from generate_series(1, 1000) n`);
  await ledger().query('analyze escapement.firings');
  expect(await opened('2026-03-01T00:02:00Z')).toContain('running_long of one');
  await old(closed('completed', '2026-03-01T00:02:01Z', `${day}:20:00Z`));
  statements.length = 0;
  expect(await opened('2026-03-01T00:02:05Z')).toContain('running_long is over');
  const [text, values] = statements.find(([one]) => one.includes(`'running_long' then not exists`))!;
  await ledger().query('update escapement.alerts set resolved_at = null');
  await ledger().query('begin');
  const [row] = await ledger().query(`explain (analyze, format json) ${text}`, values);
  await ledger().query('rollback');
  expect(mostRead(row!['QUERY PLAN'][0].Plan)).toBeLessThan(5_000);
});
