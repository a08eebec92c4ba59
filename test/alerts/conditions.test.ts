import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { alertsOf, closed, writeFiring } from '../support/alerts/alerts';
import { writeLetter } from '../support/failures/letters';
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

it('late: a firing that is not started 30 seconds after its time opens one alert, which its start resolves', async () => {
  await hourly();
  const opened = await watch();
  ledger().clock.set('2026-03-01T01:00:00Z');
  await fired('2026-03-01T01:00:00Z', { state: 'claimed', ready_at: '2026-03-01T01:00:00Z' });
  await ledger().query(
    `update escapement.timers set answered_to = '2026-03-01T01:00Z', next_fire_at = '2026-03-01T02:00Z'`,
  );
  expect(await opened('2026-03-01T01:00:29Z')).toEqual([]);
  expect(await opened('2026-03-01T01:00:30Z')).toEqual(['late of hourly']);
  expect(await opened('2026-03-01T01:05:00Z')).toEqual([]);
  await fired('2026-03-01T01:00:00Z', {
    state: 'linked',
    workflow_id: 'w',
    run_id: 'r',
    linked_at: '2026-03-01T01:05:01Z',
  });
  expect(await opened('2026-03-01T01:05:05Z')).toEqual(['late is over']);
  expect(await opened('2026-03-01T01:05:10Z')).toEqual([]);
});

it('late: an announced start that nobody has linked is late too; a backfill, and one that is run again, are not', async () => {
  await hourly();
  await hourly('other');
  const opened = await watch();
  const claimed = { state: 'claimed', ready_at: '2026-03-01T00:00:00Z' };
  await fired('2026-02-28T01:00:00Z', { ...claimed, kind: 'backfill' }, 'other');
  await fired('2026-02-28T02:00:00Z', { ...claimed, again: '{"number": 1}' }, 'other');
  await fired('2026-03-01T00:00:00Z', { ...claimed, check_at: '2026-03-01T00:00:30Z' });
  expect(await opened('2026-03-01T00:00:40Z')).toEqual(['late of hourly']);
});

it('overdue: an occurrence without an answer opens an alert a minute after its time, unless its timer was postponed', async () => {
  await hourly();
  await hourly('quota');
  await ledger().query(`update escapement.timers set wake_at = '2026-03-01T02:00Z' where schedule_id = 'quota'`);
  const opened = await watch();
  expect(await opened('2026-03-01T01:00:59Z')).toEqual([]);
  expect(await opened('2026-03-01T01:01:00Z')).toEqual(['overdue of hourly']);
  await ledger().query(`update escapement.timers set answered_to = next_fire_at, next_fire_at = '2026-03-01T02:00Z'`);
  expect(await opened('2026-03-01T01:01:05Z')).toEqual(['overdue is over']);
});

it('overdue: a timer that sleeps for ever with an occurrence due is found, one of a paused schedule is left alone', async () => {
  await hourly();
  await hourly('paused');
  await ledger().client.getHandle('paused').pause();
  await ledger().query(`update escapement.timers set wake_at = 'infinity', next_fire_at = '2026-03-01T01:00Z'`);
  const opened = await watch();
  expect(await opened('2026-03-01T01:01:00Z')).toEqual(['overdue of hourly']);
});

it('overdue: a schedule that is said to be finished though an occurrence of it is due, or that has no next time, is found', async () => {
  await hourly('said-to-be-finished');
  await hourly('forgotten');
  await ledger().client.create(someSchedule({ scheduleId: 'by-hand', spec: {} }));
  await hourly('over');
  await ledger().query(
    `update escapement.timers set wake_at = 'infinity', completed_at = '2026-02-01Z', remaining_actions = 0 where schedule_id = 'over'`,
  );
  await ledger().query(
    `update escapement.timers set wake_at = 'infinity', completed_at = '2026-02-01Z' where schedule_id = 'said-to-be-finished'`,
  );
  await ledger().query(
    `update escapement.timers set wake_at = 'infinity', next_fire_at = null where schedule_id = 'forgotten'`,
  );
  const opened = await watch();
  expect(await opened('2026-03-01T01:01:00Z')).toEqual(['overdue of forgotten', 'overdue of said-to-be-finished']);
  expect((await ledger().client.alerts.list()).map(({ text }) => text)).toContain(
    "Schedule 'forgotten': it is not finished, but has no next time, so it would never fire.",
  );
  for (const id of ['said-to-be-finished', 'forgotten']) {
    await ledger().client.getHandle(id).pause();
    await ledger().client.getHandle(id).unpause();
  }
  await ledger().query('update escapement.timers set answered_to = greatest(answered_to, next_fire_at)');
  expect(await opened('2026-03-01T01:01:05Z')).toEqual(['overdue is over', 'overdue is over']);
});

it('missed: a gap that nobody asked for opens an alert, a completed firing resolves it, and what was seen opens none again', async () => {
  await hourly();
  await hourly('paused');
  const opened = await watch();
  const gap = (scheduleId: string, reason: string) =>
    ledger().query(
      `insert into escapement.gaps (schedule_id, from_time, to_time, count, reason, recorded_at)
        values ($1, '2026-03-01T01:00Z', '2026-03-01T03:00Z', 3, $2, '2026-03-01T04:00:00Z')`,
      [scheduleId, reason],
    );
  await gap('hourly', 'outside_catchup_window');
  await gap('paused', 'paused');
  await ledger().query(`update escapement.timers set next_fire_at = '2026-03-01T09:00Z'`);
  expect(await opened('2026-03-01T04:00:01Z')).toEqual(['missed of hourly']);
  expect(await ledger().client.alerts.list()).toMatchObject([
    { count: 3, text: "Schedule 'hourly': 3 occurrences did not fire." },
  ]);
  await fired('2026-03-01T04:00:00Z', closed('completed', '2026-03-01T04:00:02Z'));
  expect(await opened('2026-03-01T04:00:06Z')).toEqual(['missed is over']);
  expect(await opened('2026-03-01T04:00:11Z')).toEqual([]);
});

it('missed and dead_letter: a start that was given up opens both, and the letter alone is over when a person has settled it', async () => {
  const opened = await watch();
  ledger().clock.set('2026-03-01T00:10:00Z');
  const letterId = await writeLetter(ledger(), { kind: 'start', firing: { state: 'abandoned' } });
  await ledger().query(`update escapement.letters set created_at = '2026-03-01T00:10:00Z'`);
  await ledger().query(`update escapement.timers set next_fire_at = '2026-03-01T09:00Z'`);
  const [letter] = await ledger().query<{ id: string }>('select schedule_id as id from escapement.letters');
  expect(await opened('2026-03-01T00:10:05Z')).toEqual([`missed of ${letter!.id}`, `dead_letter of ${letter!.id}`]);
  await ledger().client.deadLetters.discard(letterId, { note: 'paid by hand' });
  expect(await opened('2026-03-01T00:10:10Z')).toEqual(['dead_letter is over']);
});

it('failing: three failures in a row open one alert, and a completed firing resolves it', async () => {
  await hourly();
  const opened = await watch();
  await ledger().query(`update escapement.timers set next_fire_at = '2026-03-01T09:00Z'`);
  const fail = async (time: string) => {
    await fired(time, closed('failed', time));
    await ledger().query(
      `insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, created_at, updated_at)
        values ($1, 'hourly', $2, 0, 'workflow', 'resolved', 'failed', 'default', $2, $2)`,
      [randomUUID(), time],
    );
  };
  await fail('2026-03-01T01:00:00Z');
  await fail('2026-03-01T02:00:00Z');
  expect(await opened('2026-03-01T02:00:05Z')).toEqual([]);
  await fail('2026-03-01T03:00:00Z');
  expect(await opened('2026-03-01T03:00:05Z')).toEqual(['failing of hourly']);
  await fail('2026-03-01T04:00:00Z');
  expect(await opened('2026-03-01T04:00:05Z')).toEqual([]);
  await fired('2026-03-01T05:00:00Z', closed('completed', '2026-03-01T05:00:00Z'));
  expect(await opened('2026-03-01T05:00:05Z')).toEqual(['failing is over']);
});

it('skipped: three skips in a row by overlap open one alert, and the next start resolves it', async () => {
  await hourly();
  const opened = await watch();
  await ledger().query(`update escapement.timers set next_fire_at = '2026-03-01T09:00Z'`);
  for (const hour of [1, 2]) await fired(`2026-03-01T0${hour}:00:00Z`, { state: 'skipped', reason: 'overlap' });
  expect(await opened('2026-03-01T02:00:05Z')).toEqual([]);
  await fired('2026-03-01T03:00:00Z', { state: 'skipped', reason: 'excluded' });
  expect(await opened('2026-03-01T03:00:05Z')).toEqual([]);
  for (const hour of [4, 5, 6]) await fired(`2026-03-01T0${hour}:00:00Z`, { state: 'skipped', reason: 'overlap' });
  expect(await opened('2026-03-01T06:00:05Z')).toEqual(['skipped of hourly']);
  await fired('2026-03-01T07:00:00Z', {
    state: 'linked',
    workflow_id: 'w',
    run_id: 'r',
    linked_at: '2026-03-01T07:00:00Z',
  });
  expect(await opened('2026-03-01T07:00:05Z')).toEqual(['skipped is over']);
});

it('stalled: a chain that gets nowhere opens an alert until it gets on again', async () => {
  await hourly();
  const opened = await watch();
  await fired('2026-03-01T00:00:00Z', {
    state: 'linked',
    workflow_id: 'w',
    run_id: 'r',
    linked_at: '2026-03-01T00:00:00Z',
    stalled: 'no_worker',
  });
  expect(await opened('2026-03-01T00:02:00Z')).toEqual(['stalled of hourly']);
  const [alert] = await ledger().client.alerts.list();
  expect(alert!.text).toBe("Schedule 'hourly': 1 workflow makes no progress: no worker takes the workflow task.");
  await ledger().query('update escapement.firings set stalled = null');
  expect(await opened('2026-03-01T00:02:05Z')).toEqual(['stalled is over']);
});

it('stalled: the alert says that somebody has paused the workflow, and what to do', async () => {
  await hourly();
  const opened = await watch();
  await fired('2026-03-01T00:00:00Z', {
    ...{ state: 'linked', workflow_id: 'w', run_id: 'r', linked_at: '2026-03-01T00:00:00Z' },
    stalled: 'paused',
  });
  expect(await opened('2026-03-01T00:02:00Z')).toEqual(['stalled of hourly']);
  const [alert] = await ledger().client.alerts.list();
  expect(alert!.text).toMatch(/somebody has paused the workflow in Temporal.+Unpause or terminate it/);
});

it('parked: a step that waits for a day opens an alert, until a redrive has reached it', async () => {
  await hourly();
  const opened = await watch();
  await ledger().query(`update escapement.timers set wake_at = '2026-03-09Z', next_fire_at = '2026-03-09Z'`);
  await ledger().query(
    `insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, created_at, updated_at)
      values ($1, 'hourly', '2026-03-01T01:00Z', 0, 'parked', 'open', 'step_failed', 'default', '2026-03-01T01:00Z', '2026-03-01T01:00Z')`,
    [randomUUID()],
  );
  expect(await opened('2026-03-01T01:00:05Z')).toEqual(['dead_letter of hourly']);
  expect(await opened('2026-03-02T00:59:59Z')).toEqual([]);
  expect(await opened('2026-03-02T01:00:00Z')).toEqual(['parked of hourly']);
  expect(await opened('2026-03-02T01:00:05Z')).toEqual([]);
  await ledger().query(
    `update escapement.letters set state = 'redriving', redrive = '{"lookAt": "2026-03-02T01:00Z"}'`,
  );
  // Temporal may still refuse the decision that was announced.
  await ledger().query(`update escapement.letters set redrive = redrive || '{"told": {}}'`);
  expect(await opened('2026-03-02T01:00:12Z')).toEqual([]);
  await ledger().query(`update escapement.letters set redrive = redrive - 'lookAt'`);
  expect(await opened('2026-03-02T01:00:15Z')).toEqual(['parked is over']);
  // The step has failed again, and its letter is still that of the first time.
  await ledger().query(
    `update escapement.letters set state = 'open', redrive = null, failed_step = '{"failedAt": "2026-03-02T01:00:18Z"}'`,
  );
  expect(await opened('2026-03-03T01:00:17Z')).toEqual([]);
  expect(await opened('2026-03-03T01:00:18Z')).toEqual(['parked of hourly']);
  await ledger().query(`update escapement.letters set state = 'resolved'`);
  expect(await opened('2026-03-03T01:00:25Z')).toEqual(['dead_letter is over', 'parked is over']);
});

it('recovered: a firing that was taken over a second time opens an alert until it is started', async () => {
  await hourly();
  const opened = await watch();
  const takenOver = (number: number, recoveredAt: string) => ({
    state: 'claimed',
    check_at: '2026-03-02T00:00:00Z',
    ready_at: '2026-03-02T00:00:00Z',
    recovery: JSON.stringify({ number, recoveredAt, reason: 'trigger_lost' }),
  });
  await fired('2026-03-01T00:00:00Z', takenOver(1, '2026-03-01T00:00:30.000Z'));
  expect(await opened('2026-03-01T00:00:31Z')).toEqual([]);
  await fired('2026-03-01T00:00:00Z', takenOver(2, '2026-03-01T00:01:00.000Z'));
  expect(await opened('2026-03-01T00:01:01Z')).toEqual(['recovered of hourly']);
  expect(await ledger().client.alerts.list()).toMatchObject([
    { count: 2, text: "Schedule 'hourly': a firing was taken over 2 times, the last time at 2026-03-01T00:01:00Z." },
  ]);
  expect(await opened('2026-03-01T00:01:02Z')).toEqual([]);
  const start = { state: 'linked', workflow_id: 'w', run_id: 'r', linked_at: '2026-03-01T00:01:03Z' };
  await fired('2026-03-01T00:00:00Z', start);
  expect(await opened('2026-03-01T00:01:06Z')).toEqual(['recovered is over']);
  expect(await opened('2026-03-01T00:02:00Z')).toEqual([]);
});

it('recovered: a firing that was started before anyone looked is told all the same', async () => {
  await hourly();
  const opened = await watch();
  await fired('2026-03-01T00:00:00Z', {
    state: 'linked',
    workflow_id: 'w',
    run_id: 'r',
    linked_at: '2026-03-01T00:00:43Z',
    recovery: JSON.stringify({ number: 3, recoveredAt: '2026-03-01T00:00:40.000Z', reason: 'check_overdue' }),
  });
  expect(await opened('2026-03-01T00:00:45Z')).toEqual(['recovered of hourly']);
  expect(await opened('2026-03-01T00:00:50Z')).toEqual(['recovered is over']);
});

it('schedule_set_aside: a schedule that no trigger can evaluate opens an alert until its definition is changed', async () => {
  await hourly();
  const opened = await watch();
  await ledger().query(
    `update escapement.schedules set spec_error = 'no such zone', set_aside_at = '2026-03-01T00:01:00Z'`,
  );
  expect(await opened('2026-03-01T00:01:05Z')).toEqual(['schedule_set_aside of hourly']);
  expect(await ledger().client.alerts.list()).toMatchObject([
    {
      text: "Schedule 'hourly': it was set aside at 2026-03-01T00:01:00Z, and does not fire until somebody changes it: no such zone.",
    },
  ]);
  expect(await opened('2026-03-01T00:01:07Z')).toEqual([]);
  await ledger().query('update escapement.schedules set spec_error = null, set_aside_at = null');
  expect(await opened('2026-03-01T00:01:10Z')).toEqual(['schedule_set_aside is over']);
});

it('no_trigger: the view has a row while none is alive, for whoever watches from outside', async () => {
  const alive = () => ledger().query('select since from escapement.no_trigger');
  expect(await alive()).toEqual([{ since: null }]);
  const heartbeat = `insert into escapement.triggers (id, host, version, heartbeat_at)
    values ('00000000-0000-0000-0000-000000000001', 'h', '1', clock_timestamp() - $1::interval)
    on conflict (id) do update set heartbeat_at = excluded.heartbeat_at`;
  await ledger().query(heartbeat, ['1 second']);
  expect(await alive()).toEqual([]);
  await ledger().query(heartbeat, ['1 minute']);
  expect(await alive()).toEqual([{ since: expect.any(Date) }]);
});
