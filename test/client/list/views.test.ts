import { expect, it } from 'vitest';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

/** Hourly; fires at 01:00, misses two hours in a pause, of which a person fills one in. */
async function withHistory() {
  const { client, clock } = ledger();
  const handle = await client.create(someSchedule({ tenant: 'acme', policies: { overlap: 'ALLOW_ALL' } }));
  const trigger = await ledger().trigger();
  clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  await handle.pause();
  clock.set('2026-03-01T03:30:00Z');
  await handle.unpause();
  await handle.backfill({ start: new Date('2026-03-01T02:00:00Z'), end: new Date('2026-03-01T02:00:00Z') });
  await handle.trigger();
  return handle;
}

it('the view ledger has one line for each answer, with its lag, and a firing beats the gap around it', async () => {
  const { scheduleId } = await withHistory();
  expect(
    await ledger().query(
      `select from_time, to_time, count::int, kind, state, reason, extract(epoch from lag)::int as lag
       from escapement.ledger where schedule_id = $1 order by from_time, state`,
      [scheduleId],
    ),
  ).toEqual([
    line('01:00:00.000', '01:00:00.000', 'schedule', 'linked', null, 0),
    line('02:00:00.000', '02:00:00.000', 'backfill', 'buffered', null, null),
    line('02:00:00.000', '03:00:00.000', null, 'gap', 'paused', null),
    line('03:30:00.001', '03:30:00.001', 'manual', 'buffered', null, null),
  ]);
});

function line(from: string, to: string, kind: string | null, state: string, reason: string | null, lag: number | null) {
  const at = (time: string) => new Date(`2026-03-01T${time}Z`);
  return { from_time: at(from), to_time: at(to), count: 1, kind, state, reason, lag };
}

it('stats count open dead letters and say when the oldest was written, of a schedule, a tenant and all', async () => {
  const handle = await ledger().client.create(someSchedule({ tenant: 'acme' }));
  await ledger().client.create(someSchedule({ scheduleId: 'another' }));
  expect((await handle.stats()).letters).toEqual({ open: 0, oldestAt: null });
  const at = (hour: number) => new Date(`2026-03-01T0${hour}:00:00Z`);
  const letters: [string, number, string][] = [
    [handle.scheduleId, 3, 'open'],
    [handle.scheduleId, 2, 'open'],
    [handle.scheduleId, 1, 'resolved'],
    ['another', 1, 'open'],
  ];
  for (const [scheduleId, hour, state] of letters) {
    await ledger().query(
      `insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, created_at, updated_at)
       values (gen_random_uuid(), $1, $2, 0, 'workflow', $3, 'failed', 'default', $2, $2)`,
      [scheduleId, at(hour), state],
    );
  }
  const { client } = ledger();
  expect((await handle.stats()).letters).toEqual({ open: 2, oldestAt: at(2) });
  expect((await client.stats({ tenant: 'acme' })).letters).toEqual({ open: 2, oldestAt: at(2) });
  expect((await client.stats()).letters).toEqual({ open: 3, oldestAt: at(1) });
});

it('stats count firings, what was missed and recoveries, of a schedule, a tenant and all', async () => {
  const handle = await withHistory();
  await ledger().client.create(someSchedule({ scheduleId: 'another' }));
  const counts = { total: 3, waiting: 2, linked: 1, running: 1, missed: 1, skipped: 0, abandoned: 0, completed: 0 };
  expect(await handle.stats()).toMatchObject({
    ...counts,
    successRate: null,
    recoveries: { attempted: 0, succeeded: 0, failed: 0 },
  });
  expect(await ledger().client.stats({ tenant: 'acme' })).toMatchObject(counts);
  expect(await ledger().client.stats({ tenant: 'nobody' })).toMatchObject({ total: 0, missed: 0 });
  await ledger().query(`update escapement.firings set state = 'closed', outcome = 'completed',
    recovery = '{"number": 1}' where state = 'linked'`);
  await ledger().query(
    `update escapement.firings set state = 'abandoned', recovery = '{"number": 2}' where kind = 'manual'`,
  );
  expect(await ledger().client.stats()).toMatchObject({
    completed: 1,
    abandoned: 1,
    successRate: 0.5,
    recoveries: { attempted: 2, succeeded: 1, failed: 1 },
  });
});

it('stats count what is claimed and not started, and say since when, of a schedule, a tenant and all', async () => {
  const { client, clock } = ledger();
  const handle = await client.create(someSchedule({ tenant: 'acme', policies: { overlap: 'ALLOW_ALL' } }));
  expect(await handle.stats()).toMatchObject({ claimed: 0, oldestClaimedAt: null });
  const trigger = await ledger().trigger();
  for (const time of ['2026-03-01T01:00:00Z', '2026-03-01T02:00:00Z']) {
    clock.set(time);
    await trigger.passes.claim();
  }
  const claims = { total: 2, waiting: 0, claimed: 2, oldestClaimedAt: new Date('2026-03-01T01:00:00Z') };
  expect(await handle.stats()).toMatchObject(claims);
  expect(await client.stats({ tenant: 'acme' })).toMatchObject(claims);
  expect(await client.stats()).toMatchObject(claims);
  expect(await client.stats({ tenant: 'nobody' })).toMatchObject({ claimed: 0, oldestClaimedAt: null });
  const other = await client.create(someSchedule());
  expect(await other.stats()).toMatchObject({ claimed: 0, oldestClaimedAt: null });
});
