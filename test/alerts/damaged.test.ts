import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { alertsOf, closed, writeFiring } from '../support/alerts/alerts';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:00:00Z');
const RULES = ['late', 'notDone', 'runningLong', 'failing', 'skipped', 'startedOften', 'parked', 'resolvedAfter'];

/** A schedule with these alert rules, as a newer program or a damage would store them. Its timer is off. */
async function schedule(scheduleId: string, alerts: object): Promise<void> {
  await ledger().client.create(someSchedule({ scheduleId }));
  await ledger().query(
    `update escapement.timers set wake_at = '2026-03-09Z', next_fire_at = '2026-03-09Z' where schedule_id = $1`,
    [scheduleId],
  );
  await ledger().query(
    `update escapement.schedule_versions set policies = jsonb_set(policies, '{alerts}', $2::jsonb) where schedule_id = $1`,
    [scheduleId, JSON.stringify(alerts)],
  );
}

const fired = (scheduleId: string, time: string, columns: Record<string, unknown>) =>
  writeFiring(ledger(), time, { schedule_id: scheduleId, ...columns });

it.each([
  ['a text', '5m'],
  ['an object', { of: 'newer' }],
  ['true', true],
])('stored rules that are %s count as not given, and no alert of others waits because of them', async (_, rule) => {
  await schedule('bad', Object.fromEntries(RULES.map((name) => [name, rule])));
  await schedule('good', {});
  const opened = await alertsOf(ledger());
  const time = '2026-03-01T00:00:00Z';
  for (const id of ['bad', 'good']) await fired(id, time, { state: 'claimed', ready_at: time });
  expect((await opened('2026-03-01T00:00:30Z')).sort()).toEqual(['late of bad', 'late of good']);
  for (const id of ['bad', 'good']) await fired(id, time, closed('completed', '2026-03-01T00:00:31Z'));
  expect(await opened('2026-03-01T00:00:35Z')).toEqual(['late is over', 'late is over']);
});

it('a stored rule that is too large a number of firings opens no alert, and those of others open', async () => {
  await schedule('bad', { failing: 1e30 });
  await schedule('good', { failing: 1 });
  const opened = await alertsOf(ledger());
  for (const id of ['bad', 'good']) {
    await fired(id, '2026-03-01T01:00:00Z', closed('failed', '2026-03-01T01:00:00Z'));
    await ledger().query(
      `insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, created_at, updated_at)
       values ($1, $2, '2026-03-01T01:00Z', 0, 'workflow', 'resolved', 'failed', 'default', '2026-03-01T01:00Z', '2026-03-01T01:00Z')`,
      [randomUUID(), id],
    );
  }
  expect(await opened('2026-03-01T01:00:05Z')).toEqual(['failing of good']);
});

it.each([
  ['a number', 0],
  ['an object without it', {}],
  ['of the year 1', { readTo: '0001-01-01T00:00:00Z' }],
])('a letter opens its alert once, though how far alerts were read is %s', async (_, value) => {
  await schedule('good', {});
  const opened = await alertsOf(ledger());
  const damage = () =>
    ledger().query(`update escapement.meta set value = $1 where key = 'alerts'`, [JSON.stringify(value)]);
  const time = '2026-03-01T01:00:00Z';
  await fired('good', time, closed('failed', time));
  await ledger().query(
    `insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, created_at, updated_at)
     values ($1, 'good', $2, 0, 'workflow', 'open', 'failed', 'default', $2, $2)`,
    [randomUUID(), time],
  );
  await damage();
  expect(await opened('2026-03-01T01:30:00Z')).toContain('dead_letter of good');
  await ledger().query(`update escapement.letters set state = 'resolved', updated_at = '2026-03-01T01:31Z'`);
  expect(await opened('2026-03-01T01:32:00Z')).toContain('dead_letter is over');
  await ledger().query(`update escapement.letters set state = 'open'`);
  await damage();
  expect(await opened('2026-03-01T01:33:00Z')).not.toContain('dead_letter of good');
});

it('a stored spec that is no object has no times, and no other schedule that is started too often is hidden by it', async () => {
  for (const id of ['bad', 'good']) await schedule(id, {});
  await ledger().query(`update escapement.schedule_versions set spec = 'null' where schedule_id = 'bad'`);
  const opened = await alertsOf(ledger());
  for (let minute = 1; minute <= 11; minute++) {
    for (const id of ['bad', 'good']) {
      const time = `2026-03-01T00:${String(minute).padStart(2, '0')}:00.001Z`;
      await fired(id, time, { ...closed('completed', time), kind: 'manual', actor: 'a program' });
    }
  }
  expect(await opened('2026-03-01T00:11:30Z')).toEqual(['started_often of good']);
});
