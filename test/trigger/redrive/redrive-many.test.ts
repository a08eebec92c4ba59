import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { expect, inject, it } from 'vitest';
import type { SchedulePolicies } from '../../../core/schedule/policies';
import { openStore } from '../../../store/connection';
import { closeFirings } from '../../../store/firings/close';
import { relinkFiring } from '../../../store/letters/carry-out-redrive';
import { announceReset, takeRedrives } from '../../../store/letters/redrive';
import { announceInTurn } from '../../../store/letters/redrive-turns';
import { watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';
import { blocksOf } from '../../support/scenes/many';

const ledger = useLedger('2026-03-01T12:00:00Z');

/** A schedule with several abandoned starts, each with its letter. */
async function givenUp(policies: SchedulePolicies, count = 3, apart = '1 hour'): Promise<string> {
  const { scheduleId } = await ledger().client.create(someSchedule({ policies }));
  await ledger().query(`select escapement.ensure_partition('2026-03-01T12:00:00Z')`);
  await ledger().query(
    `with given_up as (
       insert into escapement.firings (schedule_id, scheduled_time, state, reason, kind, namespace, schedule_version, workflow_id, claimed_at)
       select $1, '2026-03-01T00:00:00Z'::timestamptz + i * $3::interval, 'abandoned', 'start_rejected', 'schedule', 'default', 1,
         $1 || '-workflow-' || i, now() from generate_series(1, $2) i returning *)
     insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, reason, namespace, created_at, updated_at)
     select gen_random_uuid(), schedule_id, scheduled_time, 0, 'start', reason, namespace, scheduled_time, scheduled_time from given_up`,
    [scheduleId, count, apart],
  );
  return scheduleId;
}

const open = async (scheduleId: string) =>
  (
    await ledger().query<{ hour: string }>(
      `select to_char(scheduled_time at time zone 'UTC', 'HH24') as hour from escapement.firings
       where schedule_id = $1 and state in ('buffered', 'claimed', 'linked') order by 1`,
      [scheduleId],
    )
  ).map(({ hour }) => hour);

const endAll = () =>
  ledger().query(`update escapement.firings set state = 'closed', outcome = 'completed', owner = null, check_at = null
    where state in ('claimed', 'linked')`);

it('many letters of a schedule are tried one at a time, oldest first, whatever else waits', async () => {
  const scheduleId = await givenUp({ overlap: 'SKIP' });
  const trigger = await ledger().trigger();
  await ledger().client.deadLetters.redriveAll({ scheduleId });
  const order: string[][] = [];
  for (let round = 0; round < 3; round++) {
    for (let look = 0; look < 2; look++) {
      ledger().clock.advance(2_000);
      await trigger.passes.redrive();
    }
    order.push(await open(scheduleId));
    await endAll();
  }
  expect(order).toEqual([['01'], ['02'], ['03']]);
});

it('many letters wait for what runs of their schedule, and go side by side under ALLOW_ALL', async () => {
  const skips = await givenUp({ overlap: 'SKIP' });
  const allows = await givenUp({ overlap: 'ALLOW_ALL' });
  const bounded = await givenUp({ overlap: 'ALLOW_ALL', maxConcurrent: 2 });
  await ledger().client.getHandle(skips).trigger();
  const trigger = await ledger().trigger();
  await ledger().client.deadLetters.redriveAll({ state: 'open' });
  for (let look = 0; look < 4; look++) {
    ledger().clock.advance(2_000);
    await trigger.passes.redrive();
  }
  expect([(await open(skips)).length, await open(allows), await open(bounded)]).toEqual([
    1,
    ['01', '02', '03'],
    ['01', '02'],
  ]);
});

it('many letters are tried at a rate, whichever trigger carries them out', async () => {
  const scheduleId = await givenUp({ overlap: 'ALLOW_ALL' }, 12);
  const [one, other] = [await ledger().trigger(), await ledger().trigger()];
  const counts = await ledger().client.deadLetters.redriveAll({ scheduleId }, { perSecond: 2, atMost: 10 });
  expect(counts).toMatchObject({ total: 10, redriven: 10 });
  const begun: number[] = [];
  for (let look = 0; look < 3; look++) {
    ledger().clock.advance(2_001);
    await one.passes.redrive();
    await other.passes.redrive();
    begun.push((await open(scheduleId)).length);
  }
  expect(begun).toEqual([4, 8, 10]);
});

it('a pace below what is taken by now, which a ledger may still hold, lets one letter go every two seconds', async () => {
  const scheduleId = await givenUp({ overlap: 'ALLOW_ALL' }, 2);
  await ledger().client.deadLetters.redriveAll({ scheduleId }, { perSecond: 1 });
  await ledger().query(`update escapement.letters set redrive = jsonb_set(redrive, '{perSecond}', '0.1')`);
  const trigger = await ledger().trigger();
  const begun: number[] = [];
  for (let poll = 0; poll < 2; poll++) {
    ledger().clock.advance(2_001);
    await trigger.passes.redrive();
    begun.push((await open(scheduleId)).length);
  }
  expect(begun).toEqual([1, 2]);
});

it('a letter that the pace holds back is tried once the pace lets it go, not by a later poll of the trigger', async () => {
  const scheduleId = await givenUp({ overlap: 'ALLOW_ALL' }, 2);
  await ledger().client.deadLetters.redriveAll({ scheduleId }, { perSecond: 0.5 });
  // The pace lets the other one go as soon as the first is carried out.
  let isOneCarriedOut = false;
  const pool = watchedPool(ledger(), {
    after: (text) => {
      if (isOneCarriedOut || !text.includes(`jsonb_build_object('carriedOutAt'`)) return;
      isOneCarriedOut = true;
      ledger().clock.advance(2_001);
    },
  });
  // It polls for redrives as it starts; the next poll of its own would come in ten minutes.
  const trigger = await ledger().trigger({ pool, limits: { reconcileIntervalMilliseconds: 600_000 } });
  const running = trigger.run();
  const carriedOut = () => ledger().query(`select redrive ->> 'carriedOutAt' as at from escapement.letters order by 1`);
  try {
    const two = [{ at: '2026-03-01T12:00:00.000Z' }, { at: '2026-03-01T12:00:02.001Z' }];
    await expect.poll(carriedOut).toEqual(two);
  } finally {
    trigger.shutdown();
    await running;
  }
});

it('thousands that wait their turn are each read once a poll, and what runs beside them only for the first of a schedule', async () => {
  const scheduleId = await givenUp({ overlap: 'SKIP' }, 2_000, '1 minute');
  await ledger().query('vacuum analyze escapement.letters');
  const request = { mode: 'restart', requestId: randomUUID(), force: false, inTurn: true, perSecond: 20 };
  await ledger().query(`update escapement.letters set state = 'redriving', actor = 'test', redrive = $1`, [
    { ...request, askedAt: '2026-03-01T12:00:00Z', lookAt: '2026-03-01T12:00:00Z' },
  ]);
  const looks: [string, unknown[]][] = [];
  const pool = watchedPool(ledger(), {
    before: (text, values) => text.includes('with pending as') && looks.push([text, values]),
  });
  const trigger = await ledger().trigger({ pool });
  expect(await trigger.passes.redrive()).toMatchObject({ restarted: 1 });
  expect(await open(scheduleId)).toHaveLength(1);
  expect(await blocksOf(ledger(), ...looks[0]!)).toBeLessThan(5_000);
});

/** A failed run whose bulk redrive a trigger has begun. */
async function resumable() {
  const scheduleId = await givenUp({ overlap: 'SKIP' }, 1);
  await ledger().query(`update escapement.firings set state = 'closed', outcome = 'failed', run_id = 'run'`);
  await ledger().query(`update escapement.letters set kind = 'workflow'`);
  await ledger().client.deadLetters.redriveAll({ scheduleId }, { mode: 'resume' });
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const now = new Date(ledger().clock.now());
  const lookAt = new Date(now.getTime() + 60 * 60_000);
  const times = { now, lookAt, paceSince: new Date(now.getTime() - 2_000), withoutNamespaces: [] };
  const [redrive] = await takeRedrives(store, { ...times, limit: 1 });
  return { store, redrive: redrive!, times };
}

it('a run that was taken up in its turn is looked at from then on, so that the next of its schedule follows at once', async () => {
  const { store, redrive, times } = await resumable();
  const cancelAt = new Date(times.now.getTime() + 5 * 60_000);
  expect(await announceInTurn(store, redrive, { runId: 'run', eventId: 4 }, times.lookAt)).toBe('announced');
  expect(await relinkFiring(store, redrive, { now: times.now, cancelAt })).toBe(true);
  expect(await ledger().query('select state, check_at, interrupt, interrupt_at from escapement.firings')).toEqual([
    { state: 'linked', check_at: times.now, interrupt: 'cancel', interrupt_at: cancelAt },
  ]);
});

it('the end of the run that is about to be reset closes nothing, and that of the run which follows does', async () => {
  const { redrive, times, store } = await resumable();
  const { now } = times;
  const later = new Date(now.getTime() + 60_000);
  expect(await announceInTurn(store, redrive, { runId: 'run', eventId: 4 }, later)).toBe('announced');
  const { scheduleId, scheduledTime, epoch } = redrive;
  const end = {
    scheduleId,
    scheduledTime,
    epoch,
    outcome: 'failed',
    closedAt: now,
    runId: 'run',
    failedStep: undefined,
  } as const;
  const close = async (at: Date) => (await closeFirings(store, [end], { now: at, resetCheckAt: later })).closed.length;
  expect(await close(now)).toBe(0);
  expect(await relinkFiring(store, redrive, { now, cancelAt: null })).toBe(true);
  expect(await close(now)).toBe(1);
});

it('the end of a run that nobody got to reset in time is recorded', async () => {
  const { redrive, times, store } = await resumable();
  const { scheduleId, scheduledTime, epoch } = redrive;
  expect(await announceInTurn(store, redrive, { runId: 'run', eventId: 4 }, times.lookAt)).toBe('announced');
  const end = {
    scheduleId,
    scheduledTime,
    epoch,
    outcome: 'failed',
    closedAt: times.now,
    runId: 'run',
    failedStep: undefined,
  } as const;
  const { closed } = await closeFirings(store, [end], { now: times.lookAt, resetCheckAt: times.lookAt });
  expect(closed).toHaveLength(1);
});

it('a letter is tried when what runs of its schedule is seen to have ended, not by a later poll of the trigger', async () => {
  const scheduleId = await givenUp({ overlap: 'SKIP' }, 1);
  const handle = ledger().client.getHandle(scheduleId);
  await handle.update((described) => ({
    ...described,
    action: { ...described.action, workflowExecutionTimeout: '1 second' },
  }));
  await handle.trigger();
  const starting = await ledger().trigger();
  await starting.passes.claim();
  await starting.passes.dispatch();
  const firing = (await ledger().firings(scheduleId)).find(({ state }) => state === 'linked');
  const connection = await Connection.connect({ address: inject('temporalAddress') });
  ledger().beforeClose(() => connection.close());
  await expect(new Client({ connection }).workflow.getHandle(firing!.workflowId!).result()).rejects.toThrow();
  ledger().clock.advance(5_000);
  await ledger().client.deadLetters.redriveAll({ scheduleId });

  // It polls for redrives as it starts; the next poll of its own would come in ten minutes.
  const trigger = await ledger().trigger({ limits: { reconcileIntervalMilliseconds: 600_000 } });
  const running = trigger.run();
  try {
    const carriedOut = () => ledger().query(`select from escapement.letters where redrive ? 'carriedOutAt'`);
    await expect.poll(async () => (await carriedOut()).length, { timeout: 60_000 }).toBe(1);
  } finally {
    trigger.shutdown();
    await running;
  }
});

it('letters are grouped by cause, the largest first, and found by what they say', async () => {
  const { deadLetters } = ledger().client;
  await givenUp({}, 2);
  const scheduleId = await givenUp({}, 3);
  await ledger().query(
    `update escapement.letters set kind = 'workflow', workflow_type = 'fulfils',
       failed_step = '{"activityType": "chargeCard", "failure": {"type": "CardDeclined", "message": "No money left"}}'
     where schedule_id = $1`,
    [scheduleId],
  );
  expect(await deadLetters.groups()).toMatchObject([
    {
      failureType: 'CardDeclined',
      step: 'chargeCard',
      workflowType: 'fulfils',
      letters: 3,
      schedules: 1,
      message: 'No money left',
    },
    { failureType: 'start_rejected', step: null, letters: 2, schedules: 1 },
  ]);
  const found = async (filter: Parameters<typeof deadLetters.groups>[0]) =>
    (await deadLetters.groups(filter))[0]?.letters;
  expect(await found({ failureType: 'CardDeclined', workflowType: 'fulfils' })).toBe(3);
  // The name of a group finds it, even if nothing ran.
  expect(await found({ failureType: 'start_rejected' })).toBe(2);
  expect(await found({ message: 'no MONEY', step: 'chargeCard' })).toBe(3);
  expect(await found({ message: 'no money', step: 'mail' })).toBeUndefined();
});

/** One letter that a person had resumed, and looks at it at any instant. */
async function asked() {
  await givenUp({ overlap: 'SKIP' }, 1);
  await ledger().query(`update escapement.letters set kind = 'workflow', reason = 'failed'`);
  await ledger().query(
    `update escapement.firings set state = 'closed', outcome = 'failed', reason = null, closed_at = now()`,
  );
  const [letter] = await ledger().query<{ letter_id: string }>('select letter_id from escapement.letters');
  await ledger().client.deadLetters.redrive(letter!.letter_id, { mode: 'resume' });
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const look = (now: Date) => {
    const lookAt = new Date(now.getTime() + 30_000);
    return takeRedrives(store, { now, lookAt, paceSince: now, withoutNamespaces: [], limit: 10 });
  };
  return { store, look };
}

it('a redrive that another trigger has taken up since is not announced: Temporal would reset for both', async () => {
  const { store, look } = await asked();
  const now = ledger().clock.now();
  const [late] = await look(new Date(now));
  const [next] = await look(new Date(now + 30_001));
  const reset = { runId: 'run', eventId: 4 };
  expect(await announceReset(store, late!, reset)).toBe(false);
  expect(await announceReset(store, next!, reset)).toBe(true);
});
