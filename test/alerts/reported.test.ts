import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { ALERT_CONDITIONS } from '../../core/alert-defaults';
import { alertsAt } from '../support/alerts/alerts';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:00:00Z');
const OTHER = randomUUID();

/** Let a trigger report a given problem from 01:00:10 on. */
async function report({
  away = [],
  caps = [],
  problems = [],
  by = OTHER,
}: {
  away?: object[];
  caps?: object[];
  problems?: object[];
  by?: string;
} = {}) {
  await ledger().query(
    `insert into escapement.triggers (id, host, version, heartbeat_at, away, caps, problems) values ($1, 'h', '1', '2026-03-02Z', $2, $3, $4)
      on conflict (id) do update set heartbeat_at = excluded.heartbeat_at, away = excluded.away, caps = excluded.caps,
        problems = excluded.problems`,
    [by, JSON.stringify(away), JSON.stringify(caps), JSON.stringify(problems)],
  );
}

/** Hourly schedules whose firing of 01:00 waits for its start, and a trigger that has polled since. */
async function waiting(...schedules: { scheduleId: string; namespace?: string; taskQueue?: string }[]) {
  const { passes } = await ledger().trigger();
  await ledger().query(`select escapement.ensure_partition('2026-03-01Z')`);
  for (const { scheduleId, namespace = 'default', taskQueue = 'q' } of schedules) {
    await ledger().client.create(someSchedule({ scheduleId }));
    await ledger().query(
      `insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, task_queue, schedule_version, workflow_id, claimed_at, ready_at)
        values ($1, '2026-03-01T01:00Z', 'claimed', 'schedule', $2, $3, 1, $1, '2026-03-01T01:00Z', '2026-03-01T01:00Z')`,
      [scheduleId, namespace, taskQueue],
    );
  }
  await ledger().query(`update escapement.timers set wake_at = '2026-03-09Z', next_fire_at = '2026-03-09Z'`);
  ledger().clock.set('2026-03-01T01:00:10Z');
  await passes.alert();
  return { passes, look: (time: string) => alertsAt(passes, ledger().clock, `2026-03-01T01:${time}Z`) };
}

const texts = async () => (await ledger().client.alerts.list()).map(({ text }) => text);

it('namespace_unreachable: a namespace that does not answer for 30 seconds opens one alert, and what is late there none', async () => {
  const { look } = await waiting({ scheduleId: 'there', namespace: 'billing' }, { scheduleId: 'here' });
  const [since, earlier] = ['2026-03-01T01:00:08.000Z', '2026-03-01T01:00:05.000Z'];
  await report({ away: [{ namespace: 'billing', since, error: 'no route to host' }] });
  await report({ away: [{ namespace: 'billing', since: earlier, error: 'connection refused' }], by: randomUUID() });
  expect(await look('00:34')).toEqual(['late of here', 'late of there']);
  await ledger().query('delete from escapement.alerts');
  expect(await look('00:35')).toEqual(['namespace_unreachable of null', 'late of here']);
  expect(await texts()).toContain(
    `Namespace 'billing' has not answered, or has refused every call, since ${earlier}: connection refused. Due firings wait.`,
  );
  expect(await look('00:40')).toEqual([]);
  await report();
  await ledger().query(`update escapement.triggers set away = '[]'`);
  expect(await look('00:45')).toEqual(['late of there', 'namespace_unreachable is over']);
});

it('namespace_unreachable: what a trigger said that is dead by now is over', async () => {
  const { look } = await waiting();
  const away = [{ namespace: 'billing', since: '2026-03-01T00:50:00.000Z', error: 'no route to host' }];
  await report({ away });
  expect(await look('00:20')).toEqual(['namespace_unreachable of null']);
  await ledger().query(`update escapement.triggers set heartbeat_at = '2026-03-01T01:00:21Z' where id = $1`, [OTHER]);
  expect(await look('00:30')).toEqual([]);
  expect(await look('00:31')).toEqual(['namespace_unreachable is over']);
});

it('cap_full: a cap that holds starts back for a minute opens one alert, and what waits for it none', async () => {
  const { look } = await waiting(
    { scheduleId: 'capped', taskQueue: 'reports' },
    { scheduleId: 'all', namespace: 'billing' },
    { scheduleId: 'free' },
  );
  const since = '2026-03-01T00:59:35.000Z';
  await report({
    caps: [
      { taskQueue: 'reports', perSecond: 3, since },
      { namespace: 'billing', perSecond: 5, since },
    ],
  });
  expect(await look('00:34')).toEqual(['late of all', 'late of capped', 'late of free']);
  await ledger().query('delete from escapement.alerts');
  expect(await look('00:35')).toEqual(['cap_full of null', 'cap_full of null', 'late of free']);
  expect(await texts()).toContain(
    `The cap of 3 starts a second in task queue 'reports' has held starts back since ${since}.`,
  );
  await report();
  expect(await look('00:40')).toEqual(['late of all', 'late of capped', 'cap_full is over', 'cap_full is over']);
});

it('credentials: a namespace that takes none is told as that, and what is late there is not', async () => {
  const { look } = await waiting({ scheduleId: 'there', namespace: 'billing' });
  const said = { namespace: 'billing', since: '2026-03-01T01:00:05.000Z', error: 'expired', status: 'UNAUTHENTICATED' };
  await report({ away: [said] });
  expect(await look('00:40')).toEqual(['credentials of null']);
  expect(await texts()).toEqual([
    `Namespace 'billing' has rejected the credentials of triggers since ${said.since}: expired. Due firings wait.`,
  ]);
  // Temporal accepts the credentials again, but does not answer.
  await report({ away: [{ ...said, error: 'no route to host', status: 'UNAVAILABLE' }] });
  expect(await look('00:45')).toEqual(['namespace_unreachable of null', 'credentials is over']);
});

it('late: what waits for a namespace or a cap whose alert is still open opens none, however young the latest report is', async () => {
  const { look } = await waiting(
    { scheduleId: 'away', namespace: 'billing' },
    { scheduleId: 'capped', taskQueue: 'reports' },
    { scheduleId: 'free' },
  );
  const away = [{ namespace: 'billing', error: 'no route to host' }];
  const caps = [{ taskQueue: 'reports', perSecond: 3 }];
  const since = (time: string) => (one: object) => ({ ...one, since: `2026-03-01T${time}Z` });
  await report({ away: away.map(since('00:50:00')), caps: caps.map(since('00:50:00')) });
  expect(await look('00:20')).toEqual(['namespace_unreachable of null', 'cap_full of null']);
  // Alerts of this hour before them: these stay open until the problem has been gone for ten minutes.
  await ledger().query(`insert into escapement.alerts (alert_id, condition, subject, opened_at, last_seen_at, looked_at, resolved_at, count, text)
    select gen_random_uuid(), condition, subject, opened_at, opened_at, opened_at, opened_at, 1, '' from escapement.alerts, generate_series(1, 3)`);
  await report({ away: away.map(since('01:00:25')), caps: caps.map(since('01:00:25')) });
  expect(await look('00:45')).toEqual(['late of free']);
  await report();
  expect(await look('00:50')).toEqual(['late of away', 'late of capped']);
});

it('an alert about a reported problem stays open while a restarted trigger reports the problem as new', async () => {
  const { look } = await waiting();
  const since = (time: string) => ({ since: `2026-03-01T${time}Z` });
  const reports = (time: string) => ({
    away: [
      { namespace: 'billing', error: 'no route to host', ...since(time) },
      { namespace: 'payroll', error: 'expired', status: 'UNAUTHENTICATED', ...since(time) },
    ],
    caps: [{ taskQueue: 'reports', perSecond: 3, ...since(time) }],
    problems: [{ condition: 'clock_off', subject: 'h', text: 'The clock is off.', action: 'Set it.', ...since(time) }],
  });
  await report(reports('00:50:00'));
  expect(await look('00:20')).toHaveLength(4);
  await report(reports('01:00:25'));
  expect(await look('00:26')).toEqual([]);
  // Each text keeps the time since when the problem has lasted.
  expect((await texts()).filter((text) => text.includes('00:50:00'))).toHaveLength(3);
  await report();
  expect(await look('00:30')).toHaveLength(4);
});

it('a lock whose alert is open explains overdue occurrences, also if a restarted trigger reports the lock as new', async () => {
  const { passes, look } = await waiting({ scheduleId: 'locked' });
  await ledger().query('delete from escapement.firings');
  await ledger().query(
    `update escapement.timers set next_fire_at = '2026-03-01T01:00Z', wake_at = '2026-03-01T01:00Z', answered_to = '2026-03-01T00:00Z'`,
  );
  await passes.alert();
  const lock = { condition: 'lock_held', subject: 'process 7', text: 'Somebody.', action: 'End it.' };
  const since = (time: string) => ({
    problems: [{ ...lock, scheduleIds: ['locked'], since: `2026-03-01T01:${time}Z` }],
  });
  await report(since('00:12'));
  expect(await look('00:22')).toEqual(['lock_held of null']);
  await report(since('01:02'));
  expect(await look('01:05')).toEqual([]);
});

it('lock_held and partition_missing: what they explain is not told as overdue', async () => {
  const { passes, look } = await waiting({ scheduleId: 'locked' }, { scheduleId: 'free' });
  await ledger().query('delete from escapement.firings');
  await ledger().query(
    `update escapement.timers set next_fire_at = '2026-03-01T01:00Z', wake_at = '2026-03-01T01:00Z', answered_to = '2026-03-01T00:00Z'`,
  );
  await passes.alert();
  const since = '2026-03-01T01:00:12.000Z';
  const lock = { condition: 'lock_held', subject: 'process 7', since, text: 'Somebody.', action: 'End it.' };
  const month = { condition: 'partition_missing', subject: '2026-03', since, text: 'A month.', action: 'Make it.' };
  await report({ problems: [{ ...lock, scheduleIds: ['locked'] }] });
  expect(await look('00:21')).toEqual([]);
  expect(await look('00:22')).toEqual(['lock_held of null']);
  expect(await texts()).toEqual(['Somebody.']);
  expect(await look('01:05')).toEqual(['overdue of free']);
  await report({ problems: [month] });
  await ledger().query('delete from escapement.alerts');
  expect(await look('01:10')).toEqual(['partition_missing of null']);
  await report();
  expect(await look('01:15')).toEqual(['overdue of free', 'overdue of locked', 'partition_missing is over']);
});

it('what two triggers say of one lock is told once, with all schedules that it holds up', async () => {
  const { look } = await waiting();
  const since = '2026-03-01T01:00:12.000Z';
  const lock = { condition: 'lock_held', subject: 'process 7', since, text: 'Somebody.', action: 'End it.' };
  await report({ problems: [{ ...lock, scheduleIds: ['a', 'b'] }] });
  await report({ problems: [{ ...lock, scheduleIds: ['b', 'c'] }], by: randomUUID() });
  expect(await look('00:30')).toEqual(['lock_held of null']);
  expect((await ledger().client.alerts.list())[0]!.count).toBe(3);
});

it('the conditions are these, and no others', () => {
  const named =
    'late, not_done, missed, failing, running_long, skipped, stalled, dead_letter, parked, started_often, overdue, no_trigger, recovered, namespace_unreachable, namespace_held, credentials, cap_full, ledger_unavailable, lock_held, partition_missing, clock_off, schedule_set_aside, retention_held';
  expect([...ALERT_CONDITIONS].sort()).toEqual(named.split(', ').sort());
});

it('many namespaces that do not answer are told as one', async () => {
  const { look } = await waiting();
  const since = '2026-03-01T00:50:00.000Z';
  await report({
    away: Array.from({ length: 21 }, (_, index) => ({ namespace: `n${index}`, since, error: 'no route to host' })),
  });
  expect(await look('00:20')).toEqual(['namespace_unreachable of null']);
  expect(await texts()).toContain('21 namespaces at once: they do not answer the triggers, or refuse every call.');
});

it('no_trigger: a minute in which no trigger polled is told by the next one that does, and holds back what it explains for one pass', async () => {
  const { passes } = await waiting({ scheduleId: 'late' });
  ledger().clock.set('2026-03-01T01:01:09Z');
  expect((await passes.alert()).opened.map(({ condition }) => condition)).toEqual(['late']);
  await ledger().query('delete from escapement.alerts');
  ledger().clock.set('2026-03-01T01:04:09Z');
  expect((await passes.alert()).opened).toMatchObject([
    {
      condition: 'no_trigger',
      scheduleId: null,
      text: 'No trigger checked for problems for 3 minutes, from 2026-03-01T01:01:09.000Z on: none was alive, none reached Postgres, or the checks failed.',
    },
  ]);
  ledger().clock.set('2026-03-01T01:09:09Z');
  expect(await passes.alert()).toEqual({ opened: [], reminded: [], resolved: [] });
  ledger().clock.set('2026-03-01T01:09:14Z');
  const { opened, resolved } = await passes.alert();
  expect([...opened, ...resolved].map(({ condition }) => condition)).toEqual(['late', 'no_trigger']);
});

it('no_trigger: an occurrence that the time without triggers left unanswered is told only when it still is at the next pass', async () => {
  const { passes } = await waiting({ scheduleId: 'hourly' });
  await ledger().query(`delete from escapement.firings`);
  await ledger().query(
    `update escapement.timers set next_fire_at = '2026-03-01T02:00Z', wake_at = '2026-03-01T02:00Z', answered_to = '2026-03-01T01:00Z'`,
  );
  ledger().clock.set('2026-03-01T02:10:00Z');
  expect((await passes.alert()).opened.map(({ condition }) => condition)).toEqual(['no_trigger']);
  ledger().clock.set('2026-03-01T02:10:05Z');
  expect((await passes.alert()).opened.map(({ condition }) => condition)).toEqual(['overdue']);
});
