import { expect, it } from 'vitest';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const HALF_PAST = new Date('2026-03-01T00:30:00Z');

/** The state of one schedule from list and from describe, which must be the same. */
async function stateOf(scheduleId: string) {
  const { state } = await ledger().client.getHandle(scheduleId).describe();
  const { schedules } = await ledger().client.listPage({ text: scheduleId });
  expect(schedules[0]!.state).toEqual(state);
  return state;
}

it('list and describe say since when and by whom a schedule is paused, until it is unpaused', async () => {
  const { clock } = ledger();
  const handle = await ledger().client.create(someSchedule());
  expect(await stateOf(handle.scheduleId)).not.toHaveProperty('pausedAt');
  clock.set('2026-03-01T00:40:00Z');
  const ann = ledger().newClient({ identity: 'ann' });
  await ann.getHandle(handle.scheduleId).pause('the moon');
  clock.set('2026-03-01T00:50:00Z');
  // Another note, or an update, does not change the time of the pause.
  await handle.pause('the sun');
  await handle.update((previous) => ({ ...previous, policies: { overlap: 'ALLOW_ALL' } }));
  const paused = { paused: true, note: 'the sun', pausedAt: new Date('2026-03-01T00:40:00Z'), pausedBy: 'ann' };
  expect(await stateOf(handle.scheduleId)).toEqual(paused);
  await handle.unpause();
  expect(await stateOf(handle.scheduleId)).toEqual({ paused: false, note: 'Unpaused via Escapement' });
});

it('says so of one that is created paused, paused by an update, and pruned and declared again', async () => {
  const { client, clock } = ledger();
  const asleep = someSchedule({ scheduleId: 'asleep', state: { paused: true } });
  const created = await client.create(asleep);
  expect(await stateOf('asleep')).toMatchObject({ pausedAt: HALF_PAST, pausedBy: 'test' });
  await created.delete();
  clock.advance(60_000);
  await client.create(asleep);
  expect(await stateOf('asleep')).toMatchObject({ pausedAt: new Date(clock.now()), pausedBy: 'test' });

  const apply = (schedules: ReturnType<typeof someSchedule>[], revision: number) =>
    client.apply(schedules, { source: 'billing', revision, prune: true, pruneAtMost: 9 });
  const declared = someSchedule({ scheduleId: 'declared' });
  await apply([declared], 1);
  const pausedAt = new Date(clock.now());
  await client.getHandle('declared').update((previous) => ({ ...previous, state: { paused: true } }));
  clock.advance(60_000);
  await apply([], 2);
  clock.advance(60_000);
  await apply([declared], 3);
  expect(await stateOf('declared')).toMatchObject({ paused: true, pausedAt, pausedBy: 'test' });
});

it('says since when a schedule is completed: its last action, its spec’s end, or a person’s decision', async () => {
  const { client, clock } = ledger();
  const one = await client.create(someSchedule({ state: { remainingActions: 1 } }));
  const at = await client.create(someSchedule({ spec: { at: new Date('2026-03-01T01:00:00Z') } }));
  const ended = await client.create(someSchedule());
  const none = await client.create(someSchedule({ state: { remainingActions: 0 } }));
  const trigger = await ledger().trigger();
  clock.set('2026-03-01T01:00:00Z');
  await ended.update((previous) => ({ ...previous, state: { remainingActions: 0 } }));
  await trigger.passes.claim();
  clock.set('2026-03-01T02:00:00Z');
  await trigger.passes.claim();

  const completedAt = new Date('2026-03-01T01:00:00Z');
  expect(await stateOf(one.scheduleId)).toEqual({ paused: false, remainingActions: 0, completed: true, completedAt });
  expect(await stateOf(at.scheduleId)).toEqual({ paused: false, completed: true, completedAt });
  expect(await stateOf(ended.scheduleId)).toMatchObject({ completed: true, completedAt, completedBy: 'test' });
  expect(await stateOf(none.scheduleId)).toMatchObject({
    completed: true,
    completedAt: HALF_PAST,
    completedBy: 'test',
  });
  await one.update((previous) => ({ ...previous, state: { remainingActions: 2 } }));
  expect(await stateOf(one.scheduleId)).toEqual({ paused: false, remainingActions: 2 });
});

it('says since when a schedule is set aside, until an update mends it', async () => {
  const { client, clock } = ledger();
  const handle = await client.create(someSchedule());
  await ledger().query(`update escapement.schedule_versions set spec = '{"cron": "61 * * * *"}'`);
  const trigger = await ledger().trigger();
  clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  clock.set('2026-03-01T02:00:00Z');
  // Another problem does not change the time at which it was set aside.
  await ledger().query(`update escapement.schedule_versions set spec = '{"cron": "62 * * * *"}'`);
  await ledger().query("update escapement.timers set wake_at = now() - interval '9 years'");
  await (await ledger().trigger()).passes.claim();
  const setAside = { specError: expect.stringContaining('62'), setAsideAt: new Date('2026-03-01T01:00:00Z') };
  expect(await stateOf(handle.scheduleId)).toEqual({ paused: false, ...setAside });
  await handle.update((previous) => ({ ...previous, spec: { cron: '0 * * * *' } }));
  expect(await stateOf(handle.scheduleId)).toEqual({ paused: false });
});

it('says nothing of who or when where an older version paused, ended or set it aside', async () => {
  const handle = await ledger().client.create(someSchedule({ state: { paused: true, remainingActions: 0 } }));
  await ledger().query("update escapement.schedules set paused_at = null, paused_by = null, spec_error = 'bad'");
  await ledger().query('update escapement.timers set completed_at = null, completed_by = null');
  expect(await stateOf(handle.scheduleId)).toEqual({
    paused: true,
    remainingActions: 0,
    completed: true,
    specError: 'bad',
  });
});

it('the trigger logs a pause once, with who and why, whatever wakes the schedule later', async () => {
  const { client, clock, log } = ledger();
  const handle = await client.create(someSchedule());
  const trigger = await ledger().trigger();
  await trigger.passes.claim();
  clock.advance(1_000);
  await handle.pause('the moon');
  await trigger.passes.claim();
  clock.advance(1_000);
  await handle.trigger();
  await trigger.passes.claim();
  const said = log.lines.filter(({ message }) => message === 'paused');
  expect(said).toMatchObject([
    { level: 'info', meta: { scheduleId: handle.scheduleId, actor: 'test', note: 'the moon' } },
  ]);
});

it('the trigger logs the end of a pause once, also by an update, with who and why, and no other change', async () => {
  const { client, clock, log } = ledger();
  const handle = await client.create(someSchedule());
  const trigger = await ledger().trigger();
  const ann = ledger().newClient({ identity: 'ann' }).getHandle(handle.scheduleId);
  const changes = [
    () => handle.pause('the moon'),
    () => ann.unpause('it has set'),
    () => handle.trigger(),
    () => handle.pause('the sun'),
    () => handle.update((previous) => ({ ...previous, state: { paused: false, note: 'it has set too' } })),
    () => handle.update((previous) => ({ ...previous, spec: { cron: '0 3 * * *' } })),
    () => handle.unpause('once more'),
  ];
  for (const change of changes) {
    await trigger.passes.claim();
    clock.advance(1_000);
    await change();
  }
  await trigger.passes.claim();
  const { scheduleId } = handle;
  expect(log.lines.filter(({ message }) => message === 'unpaused')).toMatchObject([
    { level: 'info', meta: { scheduleId, actor: 'ann', note: 'it has set' } },
    { level: 'info', meta: { scheduleId, actor: 'test', note: 'it has set too' } },
  ]);
});

it('a schedule that lost its next time, as an alert says, counts as completed neither in describe nor in a list', async () => {
  const { client } = ledger();
  const { scheduleId } = await client.create(someSchedule());
  await ledger().query(`update escapement.timers set wake_at = 'infinity', next_fire_at = null`);
  expect(await stateOf(scheduleId)).toEqual({ paused: false });
  const idsOf = async (filter: Parameters<typeof client.listPage>[0]) =>
    (await client.listPage(filter)).schedules.map((one) => one.scheduleId);
  expect(await idsOf({ completed: true })).toEqual([]);
  expect(await idsOf({ query: 'completed = true' })).toEqual([]);
  expect(await idsOf({ query: `state = 'live'` })).toEqual([scheduleId]);
});
