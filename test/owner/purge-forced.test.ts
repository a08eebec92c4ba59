import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { ScheduleHandle } from '../../index';
import { purge } from '../../owner/purge/purge';
import { openStore } from '../../store/connection';
import { reclaimFiring } from '../../store/letters/carry-out-redrive';
import { takeRedrives } from '../../store/letters/redrive';
import { announceReset } from '../../store/letters/redrive-turns';
import { stopSchedules } from '../../store/purge/schedules';
import { someSchedule, useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';

const ledger = useLedger('2026-03-01T03:30:00Z');
const now = () => new Date(ledger().clock.now());
const forced = { now: () => new Date('2026-03-01T03:30:00Z'), allowRunning: true };

function ledgerStore() {
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  return store;
}

/** A schedule with three firings that were given up, and their letters, the oldest first. */
async function givenUp(scheduleId: string): Promise<string[]> {
  await ledger().client.create(someSchedule({ scheduleId, policies: { overlap: 'ALLOW_ALL' } }));
  await ledger().query(`select escapement.ensure_partition('2026-03-01Z'::timestamptz)`);
  await ledger().query(
    `with given_up as (
       insert into escapement.firings (schedule_id, scheduled_time, state, reason, kind, namespace, schedule_version, workflow_id, claimed_at)
       select $1, '2026-03-01Z'::timestamptz + i * interval '1 hour', 'abandoned', 'start_rejected', 'schedule', 'default', 1,
         $1 || '-workflow-' || i, now() from generate_series(1, 3) i returning *)
     insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, reason, namespace, created_at, updated_at)
     select gen_random_uuid(), schedule_id, scheduled_time, 0, 'start', reason, namespace, scheduled_time, scheduled_time from given_up`,
    [scheduleId],
  );
  return (await letters()).map(({ id }) => id);
}

const letters = () =>
  ledger().query<{ id: string; state: string }>(
    'select letter_id as id, state from escapement.dead_letters order by scheduled_time',
  );

it('a purge with force starts none of the claims that still wait, those claimed ahead included', async () => {
  const { client, clock } = ledger();
  clock.set('2026-03-01T00:30:00Z');
  await client.create(someSchedule({ scheduleId: 'waiting', policies: { overlap: 'ALLOW_ALL' } }));
  const trigger = await ledger().trigger();
  clock.set('2026-03-01T03:00:10Z');
  await trigger.passes.claim();
  await ledger().query(
    `update escapement.firings set starts_at = now() + interval '1 year' where scheduled_time = '2026-03-01T02:00:00Z'`,
  );
  await stopSchedules(ledgerStore(), ['waiting'], forced);
  await trigger.passes.dispatch();
  expect(await ledger().answers('waiting')).toEqual([
    '03-01T01:00:00 catchup skipped schedule_deleted',
    '03-01T02:00:00 catchup skipped schedule_deleted',
    '03-01T03:00:00 schedule skipped schedule_deleted',
  ]);
});

it.each<[string, (handle: ScheduleHandle) => Promise<unknown>]>([
  ['created again', async () => undefined],
  [
    'created again and updated',
    (handle) => handle.update((previous) => ({ ...previous, spec: { cron: '0,15 * * * *' } })),
  ],
  [
    'created again, deleted and created again',
    async (handle) => {
      await handle.delete();
      await ledger().client.create(someSchedule({ scheduleId: handle.scheduleId }));
    },
  ],
])('what was handed over ahead of an update is not fired again after a purge with force: %s', async (_, change) => {
  const { client, clock } = ledger();
  const schedule = someSchedule({ scheduleId: randomUUID(), policies: { preStart: '1 minute' } });
  const handle = await client.create(schedule);
  const { passes } = await ledger().trigger({ limits: { startsPerSecondAssumed: 0.01, preStartAfterMilliseconds: 0 } });
  await passes.claim();
  clock.set('2026-03-01T03:59:30Z');
  await passes.claim();
  await passes.dispatch();
  expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T04:00:00 schedule linked']);
  await handle.update((previous) => ({ ...previous, spec: { cron: '0,30 * * * *' } }));
  await purge(
    { connectionString: ledger().databaseUrl },
    { scheduleId: handle.scheduleId },
    { actor: 'dpo', force: true, now, onProgress: () => undefined },
  );
  await change(await client.create(schedule));
  clock.set('2026-03-01T04:00:10Z');
  await passes.claim();
  expect(await ledger().firings(handle.scheduleId)).toEqual([]);
});

it('a purge with force starts nothing that a redrive asked for, whatever became of the request by then', async () => {
  const { client, clock } = ledger();
  const [asked, waiting, announced] = await givenUp('given-up');
  const trigger = await ledger().trigger();
  for (const letterId of [waiting, announced]) await client.deadLetters.redrive(letterId!);
  expect(await trigger.passes.redrive()).toMatchObject({ restarted: 2 });
  // Announced by a trigger that died before its call.
  await ledger().query(
    `update escapement.firings set owner = gen_random_uuid(), check_at = $1 where scheduled_time = '2026-03-01T03:00:00Z'`,
    [now()],
  );
  await client.deadLetters.redrive(asked!);
  const store = ledgerStore();
  const query = { now: now(), lookAt: now(), paceSince: now(), withoutNamespaces: [], limit: 10 };
  const [taken] = await takeRedrives(store, query);

  await stopSchedules(store, ['given-up'], forced);
  const claim = { ...taken!, taskQueue: 'nobody-polls', now: now() };
  expect(await reclaimFiring(store, { ...taken!, state: 'abandoned' }, claim)).toBe(false);
  expect(await announceReset(store, taken!, { runId: 'run', eventId: 3 }, now())).toBe('gone');
  clock.advance(60_000);
  expect(await trigger.passes.redrive()).toMatchObject({ taken: 0 });
  await trigger.passes.reconcile();
  await trigger.passes.dispatch();
  expect(await ledger().answers('given-up')).toEqual([
    '03-01T01:00:00 schedule abandoned start_rejected',
    '03-01T02:00:00 schedule skipped schedule_deleted',
    '03-01T03:00:00 schedule skipped schedule_deleted',
  ]);
});

it('a purge finds a run that a trigger is about to make by a reset', async () => {
  const [asked] = await givenUp('given-up');
  await ledger().query(`update escapement.firings set state = 'closed', outcome = 'failed', reason = null`);
  await ledger().query(`update escapement.dead_letters set kind = 'workflow'`);
  await ledger().client.deadLetters.redrive(asked!);
  const store = ledgerStore();
  const query = { now: now(), lookAt: now(), paceSince: now(), withoutNamespaces: [], limit: 10 };
  const [taken] = await takeRedrives(store, query);
  expect(await announceReset(store, taken!, { runId: 'run', eventId: 3 }, now())).toBe('announced');
  expect(await stopSchedules(store, ['given-up'], { ...forced, allowRunning: false })).toMatchObject({ count: 1 });
  expect(await stopSchedules(store, ['given-up'], forced)).toMatchObject({ count: 1 });
});

it('letters of what a purge has stopped are redriven no more, by one person or by many at once', async () => {
  const { client } = ledger();
  const [open, waiting, parked] = await givenUp('given-up');
  await client.deadLetters.redrive(waiting!);
  const trigger = await ledger().trigger();
  await trigger.passes.redrive();
  await client.deadLetters.redrive(parked!);
  await ledger().query(`update escapement.dead_letters set kind = 'parked' where letter_id = $1`, [parked]);
  await stopSchedules(ledgerStore(), ['given-up'], forced);
  // The workflow of a parked step runs, so it still receives the decision.
  expect((await letters()).map(({ state }) => state)).toEqual(['discarded', 'discarded', 'redriving']);
  for (const letterId of [open, waiting]) {
    await expect(client.deadLetters.redrive(letterId!)).rejects.toMatchObject({ name: 'DeadLetterStateError' });
  }
  expect(await client.deadLetters.redriveAll({ scheduleId: 'given-up' })).toMatchObject({ total: 0 });
});

it('a purge discards the letters of a schedule although the redrive of one is damaged', async () => {
  const [damaged] = await givenUp('given-up');
  await ledger().query(`update escapement.dead_letters set redrive = '"damaged"' where letter_id = $1`, [damaged]);
  await stopSchedules(ledgerStore(), ['given-up'], forced);
  expect((await letters()).map(({ state }) => state)).toEqual(['discarded', 'discarded', 'discarded']);
});

it('a purge with force names the workflows that go on, and none that it has kept from starting', async () => {
  const { client, clock } = ledger();
  for (const scheduleId of ['one', 'two']) await client.create(someSchedule({ scheduleId, tenant: 'acme' }));
  const trigger = await ledger().trigger();
  clock.set('2026-03-01T04:00:10Z');
  await trigger.passes.claim();
  await ledger().query(`update escapement.firings set owner = gen_random_uuid() where schedule_id = 'two'`);
  const purge = ['purge', '--tenant', 'acme', '--json', '--database-url', ledger().databaseUrl];
  expect(JSON.parse((await runCommand([...purge, '--dry-run'])).stdout)).toMatchObject({ runningCount: 2 });
  expect((await runCommand([...purge, '--yes'])).stderr).toContain('2 workflows run or are about to start');
  const purged = JSON.parse((await runCommand([...purge, '--yes', '--force'])).stdout);
  expect(purged).toMatchObject({ schedules: 2, running: [{ scheduleId: 'two' }], runningCount: 1 });
});
