import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { expect, inject, it } from 'vitest';
import type { SchedulePolicies } from '../../../core/schedule/policies';
import { watchedPool } from '../../support/connections/watched-pool';
import { useLedger } from '../../support/ledger';
import { blocksOf } from '../../support/scenes/many';
import { giveUp } from './given-up';

const ledger = useLedger('2026-03-01T12:00:00Z');

const givenUp = (policies: SchedulePolicies, count?: number, apart?: string) =>
  giveUp(ledger(), policies, count, apart);

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

it('many letters do not wait for what a freeze holds back, as a single one does not', async () => {
  const scheduleId = await givenUp({ overlap: 'BUFFER_ALL' });
  const trigger = await ledger().trigger();
  for (const hour of ['13', '14']) {
    ledger().clock.set(`2026-03-01T${hour}:00:00Z`);
    await trigger.passes.claim();
  }
  await ledger().client.freezes.create({ scheduleIds: [scheduleId], to: new Date('2026-03-05T00:00:00Z') });
  await endAll();
  ledger().clock.set('2026-03-01T15:00:00Z');
  await trigger.passes.claim();
  await ledger().client.deadLetters.redriveAll({ scheduleId });
  for (let look = 0; look < 2; look++) {
    ledger().clock.advance(2_000);
    await trigger.passes.redrive();
  }
  expect(await open(scheduleId)).toEqual(['01', '14']);
});

it('many letters do not wait for a firing whose overlap policy only a newer trigger knows', async () => {
  const scheduleId = await givenUp({ overlap: 'SKIP' });
  await ledger().client.getHandle(scheduleId).trigger();
  await ledger().query(`update escapement.firings set overlap = 'SOMEHOW' where state = 'buffered'`);
  const trigger = await ledger().trigger();
  await ledger().client.deadLetters.redriveAll({ scheduleId });
  for (let look = 0; look < 2; look++) {
    ledger().clock.advance(2_000);
    await trigger.passes.redrive();
  }
  expect(await open(scheduleId)).toEqual(['01', '12']);
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

it('a slow redrive that a client of one tenant asked for holds up no other tenant', async () => {
  const [slow, other] = [await givenUp({ overlap: 'ALLOW_ALL' }), await givenUp({ overlap: 'ALLOW_ALL' })];
  await ledger().query('update escapement.schedules set tenant = schedule_id');
  const redrive = (tenant: string, perSecond: number) =>
    ledger().newClient({ tenant }).deadLetters.redriveAll({ state: 'open' }, { perSecond });
  await redrive(slow, 0.5);
  await redrive(other, 20);
  const { passes } = await ledger().trigger();
  const begun: number[][] = [];
  for (let poll = 0; poll < 2; poll++) {
    ledger().clock.advance(2_001);
    await passes.redrive();
    begun.push([(await open(slow)).length, (await open(other)).length]);
  }
  expect(begun).toEqual([
    [1, 3],
    [2, 3],
  ]);
});

it('a redrive of an operator keeps its pace over the letters of all tenants', async () => {
  const [one, other] = [await givenUp({ overlap: 'ALLOW_ALL' }), await givenUp({ overlap: 'ALLOW_ALL' })];
  await ledger().query('update escapement.schedules set tenant = schedule_id');
  await ledger().client.deadLetters.redriveAll({ state: 'open' }, { perSecond: 1 });
  const { passes } = await ledger().trigger();
  ledger().clock.advance(2_001);
  await passes.redrive();
  expect((await open(one)).length + (await open(other)).length).toBe(2);
});

it.each([
  ['maxConcurrent', '9007199254740991', ['01', '02', '03']],
  // Definitions that only a newer program may know.
  ['maxConcurrent', '1e400', []],
  ['maxConcurrent', '"many"', []],
  ['perSecond', '1e308', ['01', '02']],
  ['perSecond', '1e400', ['01', '02']],
  ['perSecond', '"fast"', ['01', '02']],
])('a stored %s of %s stops no redrive of another schedule', async (field, value, opened) => {
  const odd = await givenUp({ overlap: 'ALLOW_ALL', maxConcurrent: 2 });
  const other = await givenUp({ overlap: 'SKIP' });
  await ledger().client.deadLetters.redriveAll({ state: 'open' });
  await ledger().query(
    field === 'maxConcurrent'
      ? `update escapement.schedule_versions set policies = jsonb_set(policies, '{maxConcurrent}', $2) where schedule_id = $1`
      : `update escapement.dead_letters set redrive = jsonb_set(redrive, '{perSecond}', $2) where schedule_id = $1`,
    [odd, value],
  );
  const trigger = await ledger().trigger();
  for (let look = 0; look < 4; look++) {
    ledger().clock.advance(2_000);
    await trigger.passes.redrive();
  }
  expect([await open(odd), await open(other)]).toEqual([opened, ['01']]);
  await ledger().client.getHandle(odd).explain(new Date('2026-03-01T12:00:00Z'));
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
