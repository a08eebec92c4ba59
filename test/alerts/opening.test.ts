import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { openStore } from '../../store/connection';
import { settleLetters } from '../../store/letters/open-and-resolve';
import { alertsOf, closed, running, writeFiring } from '../support/alerts/alerts';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:00:00Z');

/** A schedule whose next occurrence is at 01:00. */
async function hourly(scheduleId = 'hourly'): Promise<string> {
  await ledger().client.create(someSchedule({ scheduleId }));
  return scheduleId;
}

const fired = (scheduledTime: string, columns: Record<string, unknown>, scheduleId = 'hourly') =>
  writeFiring(ledger(), scheduledTime, { schedule_id: scheduleId, ...columns });

/** Run a trigger with its clock at `time`: what it opened and resolved. */
const watch = () => alertsOf(ledger());

it('what flaps opens four times in an hour at most, and then stays open until it was good for ten minutes', async () => {
  await hourly();
  const opened = await watch();
  await fired('2026-03-01T00:00:00Z', {
    state: 'linked',
    workflow_id: 'w',
    run_id: 'r',
    linked_at: '2026-03-01T00:00:00Z',
  });
  const told: string[] = [];
  for (let minute = 1; minute < 30; minute++) {
    const stalled = minute % 2 === 1 ? 'no_worker' : null;
    await ledger().query('update escapement.firings set stalled = $1', [stalled]);
    told.push(...(await opened(`2026-03-01T00:${String(minute).padStart(2, '0')}:00Z`)));
  }
  expect(told.filter((one) => one === 'stalled of hourly')).toHaveLength(4);
  await ledger().query('update escapement.firings set stalled = null');
  expect(await opened('2026-03-01T00:30:00Z')).toEqual([]);
  expect(await opened('2026-03-01T00:40:00Z')).toEqual(['stalled is over']);
});

it('an outage of everything is one alert with a count, more of it adds to the count, and one is over when all is', async () => {
  const ids = Array.from({ length: 24 }, (_, n) => `many-${n + 10}`);
  for (const id of ids) await hourly(id);
  await ledger().query(
    `update escapement.timers set next_fire_at = '2026-03-02T00:00Z' where schedule_id >= 'many-31'`,
  );
  const opened = await watch();
  expect(await opened('2026-03-01T01:01:00Z')).toEqual(['overdue of null']);
  await ledger().query(`update escapement.timers set next_fire_at = '2026-03-01T01:00Z'`);
  expect(await opened('2026-03-01T01:01:05Z')).toEqual([]);
  const [summary] = (await ledger().client.alerts.list()).filter(({ scheduleId }) => scheduleId === null);
  expect(summary).toMatchObject({ count: 24, text: '24 schedules at once: occurrences have no answer.' });
  await ledger().query(`update escapement.timers set answered_to = next_fire_at`);
  expect(await opened('2026-03-01T01:02:00Z')).toEqual([]);
  expect(await opened('2026-03-01T01:02:05Z')).toEqual(['overdue is over']);
  expect(await ledger().client.alerts.list()).toEqual([]);
});

it('missed of a schedule that fires no more is over once a person knows of it', async () => {
  await hourly();
  const opened = await watch();
  await ledger().query(
    `insert into escapement.gaps (schedule_id, from_time, to_time, count, reason, recorded_at)
      values ('hourly', '2026-03-01T00:00Z', '2026-03-01T00:00Z', 1, 'over_catchup_limit', '2026-03-01T00:59Z')`,
  );
  await ledger().query(
    `update escapement.timers set completed_at = '2026-03-01T00:59Z', next_fire_at = null, wake_at = 'infinity'`,
  );
  expect(await opened('2026-03-01T01:00:00Z')).toEqual(['missed of hourly']);
  expect(await opened('2026-03-01T01:00:05Z')).toEqual([]);
  const [missed] = await ledger().client.alerts.list();
  // As a summary alert may have been acknowledged before this alert joined it.
  await ledger().query(`update escapement.alerts set acknowledged_at = opened_at - interval '1 second'`);
  expect(await opened('2026-03-01T01:00:10Z')).toEqual([]);
  await ledger().query('update escapement.alerts set acknowledged_at = null');
  await ledger().client.alerts.ack(missed!.alertId);
  expect(await opened('2026-03-01T01:00:15Z')).toEqual(['missed is over']);
});

it('two triggers open an alert once, and what a person knows of stays theirs', async () => {
  await hourly();
  const triggers = [await ledger().trigger(), await ledger().trigger()];
  ledger().clock.set('2026-03-01T01:00:30Z');
  for (const { passes } of triggers) await passes.alert();
  ledger().clock.set('2026-03-01T01:01:00Z');
  const results = await Promise.all(triggers.map(({ passes }) => passes.alert()));
  expect(results.flatMap(({ opened }) => opened)).toHaveLength(1);
  const [alert] = await ledger().client.alerts.list();
  const known = await ledger().client.alerts.ack(alert!.alertId);
  expect(known).toMatchObject({ acknowledgedBy: 'test', acknowledgedAt: new Date('2026-03-01T01:01:00Z') });
  ledger().clock.advance(60_000);
  const later = await ledger().newClient({ identity: 'other' }).alerts.ack(alert!.alertId);
  expect(later).toMatchObject({ acknowledgedBy: 'test', acknowledgedAt: new Date('2026-03-01T01:01:00Z') });
  await expect(ledger().client.alerts.ack(randomUUID())).rejects.toThrow('was not found');
});

it('skipped: an occurrence that is excluded ahead hides no skips, and resolves no alert about them', async () => {
  await hourly();
  const opened = await watch();
  await ledger().query(`update escapement.timers set next_fire_at = '2026-03-01T09:00Z'`);
  await fired('2026-03-01T09:00:00Z', { state: 'skipped', reason: 'excluded', claimed_at: '2026-03-01T00:00:00Z' });
  for (const hour of [1, 2, 3]) await fired(`2026-03-01T0${hour}:00:00Z`, { state: 'skipped', reason: 'overlap' });
  expect(await opened('2026-03-01T03:00:05Z')).toEqual(['skipped of hourly']);
  expect(await opened('2026-03-01T03:00:10Z')).toEqual([]);
  await fired('2026-03-01T04:00:00Z', running('2026-03-01T04:00:00Z'));
  expect(await opened('2026-03-01T04:00:05Z')).toEqual(['skipped is over']);
});

it('failing opens for a failure whose step was parked until it expired, however old its letter is', async () => {
  await ledger().client.create(someSchedule({ scheduleId: 'hourly', policies: { alerts: { failing: 1 } } }));
  await ledger().query(`update escapement.timers set wake_at = '2026-03-09', next_fire_at = '2026-03-09'`);
  const opened = await watch();
  const key = { scheduleId: 'hourly', scheduledTime: new Date('2026-03-01T00:30:00Z') };
  const failure = { type: 'CardDeclined', message: 'no money' };
  const failedStep = { activityType: 'chargeCard', activityId: '1', eventId: 5, runId: 'r', failure };
  await fired('2026-03-01T00:30:00Z', running('2026-03-01T00:30:00Z'));
  await ledger().query(
    `insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, failed_step, created_at, updated_at)
      values ($1, 'hourly', $2, 0, 'parked', 'open', 'step_failed', 'default', $3, $2, $2)`,
    [randomUUID(), key.scheduledTime, failedStep],
  );
  expect(await opened('2026-03-01T00:30:05Z')).toEqual(['dead_letter of hourly']);
  expect(await opened('2026-03-01T01:30:00Z')).toEqual([]);
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  await fired('2026-03-01T00:30:00Z', closed('failed', '2026-03-01T01:30:01Z'));
  await settleLetters(store, [{ ...key, outcome: 'failed', failedStep }], new Date('2026-03-01T01:30:01Z'));
  expect(await ledger().query('select kind, state from escapement.dead_letters order by created_at')).toMatchObject([
    { kind: 'workflow', state: 'open' },
  ]);
  expect(await opened('2026-03-01T01:31:00Z')).toEqual(['failing of hourly']);
});

/** A schedule that is not due, and has the gaps that a test gives it. */
async function withGaps() {
  await hourly();
  await ledger().query(`update escapement.timers set wake_at = '2026-03-09', next_fire_at = '2026-03-09'`);
  const opened = await watch();
  const gap = (from: string, count: number, recordedAt: string) =>
    ledger().query(
      `insert into escapement.gaps (schedule_id, from_time, to_time, count, reason, recorded_at)
        values ('hourly', $1, $1, $2, 'outside_catchup_window', $3)`,
      [from, count, recordedAt],
    );
  return { opened, gap };
}

it('missed: an open alert counts what is missed later too, each occurrence once', async () => {
  const { opened, gap } = await withGaps();
  const texts = async () => (await ledger().client.alerts.list()).map(({ count, text }) => [count, text]);
  await gap('2026-02-01T00:00:00Z', 500, '2026-03-01T00:10:00Z');
  expect(await opened('2026-03-01T00:10:01Z')).toEqual(['missed of hourly']);
  // The pass that reads this gap reads the former one again.
  await gap('2026-02-25T00:00:00Z', 2, '2026-03-01T00:10:20Z');
  for (const time of ['00:10:21', '00:10:26', '00:12:00']) await opened(`2026-03-01T${time}Z`);
  expect(await texts()).toEqual([[502, "Schedule 'hourly': 502 occurrences did not fire."]]);
  await ledger().query(
    `insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, created_at, updated_at)
      select $1, 'hourly', '2026-03-01T00:12Z', 0, 'start', 'discarded', 'start_failed', 'default', at, at
      from (select '2026-03-01T00:13Z'::timestamptz as at) x`,
    [randomUUID()],
  );
  for (const second of ['01', '06']) await opened(`2026-03-01T00:13:${second}Z`);
  expect(await texts()).toEqual([[503, "Schedule 'hourly': 503 occurrences did not fire."]]);
});

it('missed: what becomes readable after a later miss still counts, and what an ended alert covered does not', async () => {
  const { opened, gap } = await withGaps();
  const open = async () =>
    (await ledger().client.alerts.list()).map(({ count, text, lastSeenAt }) => [count, text, lastSeenAt.toISOString()]);
  await gap('2026-02-25T00:00:00Z', 1, '2026-03-01T00:10:15Z');
  await opened('2026-03-01T00:10:16Z');
  await gap('2026-02-01T00:00:00Z', 500, '2026-03-01T00:10:10Z');
  for (const second of ['21', '26']) await opened(`2026-03-01T00:10:${second}Z`);
  expect(await open()).toEqual([[501, "Schedule 'hourly': 501 occurrences did not fire.", '2026-03-01T00:10:15.000Z']]);
  for (const minute of ['01', '02', '03', '04', '05'])
    await fired(`2026-03-01T00:${minute}:00Z`, closed('completed', '2026-03-01T00:10:30Z'));
  expect(await opened('2026-03-01T00:10:31Z')).toEqual(['missed is over']);
  await gap('2026-02-26T00:00:00Z', 2, '2026-03-01T00:10:40Z');
  expect(await opened('2026-03-01T00:10:41Z')).toEqual(['missed of hourly']);
  expect(await open()).toEqual([[2, "Schedule 'hourly': 2 occurrences did not fire.", '2026-03-01T00:10:40.000Z']]);
});

it('not_done: an occurrence that was postponed past its deadline opens none while triggers answer it, only once it is overdue', async () => {
  await ledger().client.create(someSchedule({ scheduleId: 'quota', policies: { alerts: { notDone: '30 seconds' } } }));
  await ledger().query(`update escapement.timers set wake_at = '2026-03-01T02:00Z'`);
  const opened = await watch();
  expect(await opened('2026-03-01T02:00:10Z')).toEqual([]);
  expect(await opened('2026-03-01T02:00:59Z')).toEqual([]);
  expect((await opened('2026-03-01T02:01:00Z')).sort()).toEqual(['not_done of quota', 'overdue of quota']);
  await ledger().query(`update escapement.timers set wake_at = '2026-03-01T03:00Z'`);
  expect((await opened('2026-03-01T02:01:05Z')).sort()).toEqual(['not_done is over', 'overdue is over']);
});

it('parked opens again by a longer rule, after the update to that rule has ended the alert', async () => {
  await ledger().client.create(someSchedule({ scheduleId: 'strict', policies: { alerts: { parked: '1 hour' } } }));
  const stopTimers = () =>
    ledger().query(`update escapement.timers set wake_at = '2026-03-09Z', next_fire_at = '2026-03-09Z'`);
  await stopTimers();
  const opened = await alertsOf(ledger());
  await fired('2026-03-01T03:00:00Z', running('2026-03-01T03:00:00Z'), 'strict');
  await ledger().query(
    `insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, created_at, updated_at)
     values ($1, 'strict', '2026-03-01T03:00Z', 0, 'parked', 'open', 'step_failed', 'default', '2026-03-01T03:00Z', '2026-03-01T03:00Z')`,
    [randomUUID()],
  );
  expect(await opened('2026-03-01T04:00:00Z')).toContain('parked of strict');
  const handle = ledger().client.getHandle('strict');
  await handle.update((one) => ({ ...one, policies: { alerts: { parked: '1 day' } } }));
  await stopTimers();
  expect(await opened('2026-03-01T04:00:05Z')).toEqual(['parked is over']);
  expect(await opened('2026-03-02T02:59:55Z')).toEqual([]);
  expect(await opened('2026-03-02T03:00:00Z')).toEqual(['parked of strict']);
});
