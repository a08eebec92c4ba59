import { expect, it } from 'vitest';
import { DatabaseClock } from '../../../trigger/clock';
import { leaveUncalled } from '../../support/announced';
import { watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('an announcement whose definition cannot be read is taken back, and its firing is not called recovered later', async () => {
  const { client, clock } = ledger();
  const { scheduleId } = await client.create(someSchedule());
  const claiming = await ledger().trigger();
  clock.set('2026-03-01T01:00:00Z');
  await claiming.passes.claim();

  let refusals = 0;
  const refuse = (text: string) => {
    if (!text.includes('"hasPayload"') || refusals > 0) return;
    refusals += 1;
    throw new Error('no memory is left');
  };
  const trigger = await ledger().trigger({ pool: watchedPool(ledger(), { before: refuse }) });
  await expect(trigger.passes.dispatch()).rejects.toThrow('no memory is left');
  expect(refusals).toBe(1);
  expect(await ledger().query('select state, start_attempted_at, first_attempted_at from escapement.firings')).toEqual([
    { state: 'claimed', start_attempted_at: null, first_attempted_at: null },
  ]);

  await trigger.passes.reconcile();
  await trigger.passes.dispatch();
  expect(await ledger().firings(scheduleId)).toMatchObject([{ state: 'linked', recovery: null }]);
});

it('a firing whose announcement was taken back does not wait again after a pause that came and went meanwhile', async () => {
  const { client, clock } = ledger();
  const handle = await client.create(someSchedule());
  let locks = 0;
  const before = async (text: string) => {
    if (!text.includes('timers') || !text.includes('for no key update skip locked') || ++locks > 1) return;
    clock.advance(1_000);
    await handle.pause();
    await handle.unpause();
  };
  const claiming = await ledger().trigger();
  const trigger = await ledger().trigger({ pool: watchedPool(ledger(), { before }) });
  clock.set('2026-03-01T01:00:00Z');
  await claiming.passes.claim();
  await leaveUncalled(ledger(), trigger);
  expect(await trigger.passes.reconcile()).toMatchObject({ taken: 1, waiting: 0 });
  clock.advance(31_000);
  await trigger.passes.reconcile();
  expect(locks).toBe(2);
  expect(await ledger().answers(handle.scheduleId)).toEqual(['03-01T01:00:00 schedule skipped paused']);
});

it('a trigger announces no start while its clock is behind, as after its machine has slept, until its next heartbeat', async () => {
  const { client, clock } = ledger();
  await client.create(someSchedule());
  const claiming = await ledger().trigger();
  clock.set('2026-03-01T01:00:00Z');
  await claiming.passes.claim();

  const asleep = new DatabaseClock();
  const trigger = await ledger().trigger({ clock: asleep });
  asleep.synchronize(asleep.mark(), new Date(Date.now() - 600_000));
  await trigger.passes.lowerFloors();
  const dispatch = () => trigger.passes.dispatch('default', { known: true });
  await expect(dispatch()).rejects.toThrow(/clock is behind/);
  expect(await ledger().query('select state, owner, start_attempted_at from escapement.firings')).toEqual([
    { state: 'claimed', owner: null, start_attempted_at: null },
  ]);
  await trigger.passes.heartbeat();
  expect(await dispatch()).toMatchObject({ taken: 1 });
});
