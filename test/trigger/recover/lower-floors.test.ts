import { expect, it } from 'vitest';
import { Floors } from '../../../trigger/floors';
import { announceAll } from '../../support/announced';
import { watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
/** As if it had been written then, and had become visible just now. */
const LONG_AGO = new Date('2026-03-01T01:10:00Z');

/** A trigger that has found nothing left in any queue by half past one. */
async function withFloors() {
  const trigger = await ledger().trigger();
  const floors = new Floors();
  ledger().clock.set('2026-03-01T01:30:00Z');
  const now = ledger().clock.now();
  for (const queue of ['timers', 'claimed', 'linked', 'closed'] as const) floors[queue].raise(now, undefined);
  return { trigger, floors, now };
}

/** A firing that is in this state since one o'clock. */
async function firingIn(state: 'claimed' | 'linked' | 'closed') {
  const { client, clock } = ledger();
  const { scheduleId } = await client.create(someSchedule());
  const before = await ledger().trigger();
  clock.set('2026-03-01T01:00:00Z');
  await before.passes.heartbeat();
  await before.passes.claim();
  await announceAll(ledger(), before);
  await ledger().query(
    `update escapement.firings set state = $1, check_at = $2, run_id = gen_random_uuid(), linked_at = claimed_at,
       outcome = case when $1 = 'closed' then 'failed' end, closed_at = case when $1 = 'closed' then claimed_at end`,
    [state, LONG_AGO],
  );
  return scheduleId;
}

it('a read below the floors that Postgres ends is no failure of the pass, which would be repeated after two seconds', async () => {
  const canceled = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
  const before = (text: string) => {
    if (text.includes('waiting_lanes')) throw canceled;
  };
  const pool = watchedPool(ledger(), { before });
  const trigger = await ledger().trigger({ connectionString: undefined, pool });
  await trigger.passes.lowerFloors();
  expect(ledger().log.messages()).toContain('the read below the floors took too long; it is tried again');
});

it('a timer that became visible below the floor is found by a read below it, and claimed', async () => {
  const { scheduleId } = await ledger().client.create(someSchedule());
  const { trigger, floors, now } = await withFloors();
  await trigger.passes.claim();
  await ledger().query('update escapement.timers set wake_at = $1, answered_to = $1', [LONG_AGO]);
  await ledger().query(`delete from escapement.firings where schedule_id = $1`, [scheduleId]);
  const read = () => trigger.passes.claim({ from: floors.timers.at(now) });
  expect(await read()).toMatchObject({ due: 0 });
  await trigger.passes.lowerFloors(floors);
  expect(await read()).toMatchObject({ due: 1, locked: 1 });
});

it('a start whose check became visible below the floor is found by a read below it, and taken over', async () => {
  await firingIn('claimed');
  const { trigger, floors, now } = await withFloors();
  const read = () => trigger.passes.reconcile(() => {}, { from: floors.claimed.at(now) });
  expect(await read()).toMatchObject({ taken: 0, complete: true });
  await trigger.passes.lowerFloors(floors);
  expect(await read()).toMatchObject({ taken: 1 });
});

it('an open chain whose poll became visible below the floor is found by a read below it, and counts as open then', async () => {
  await firingIn('linked');
  const { trigger, floors, now } = await withFloors();
  const reconcile = () => trigger.passes.reconcile(() => {}, { openFrom: floors.linked.at(now) });
  const read = () => trigger.passes.observe(() => {}, { from: floors.linked.at(now) });
  expect(await read()).toMatchObject({ polled: 0, complete: true });
  expect(await reconcile()).toMatchObject({ anythingOpen: false });
  await trigger.passes.lowerFloors(floors);
  expect(await reconcile()).toMatchObject({ anythingOpen: true });
  expect(await read()).toMatchObject({ polled: 1 });
});

it('an ended chain whose poll became visible below the floor is found by a read below it', async () => {
  await firingIn('closed');
  const { trigger, floors, now } = await withFloors();
  const read = () => trigger.passes.reset(() => {}, { from: floors.closed.at(now) });
  expect(await read()).toMatchObject({ polled: 0, complete: true });
  await trigger.passes.lowerFloors(floors);
  expect(await read()).toMatchObject({ polled: 1 });
});

it('what a trigger that is gone had claimed is found by a read of all that waits, and started', async () => {
  const { client, clock } = ledger();
  await client.create(someSchedule());
  const gone = await ledger().trigger();
  const trigger = await ledger().trigger();
  clock.set('2026-03-01T01:00:00Z');
  await gone.passes.claim();
  const dispatch = () => trigger.passes.dispatch('default', { known: true });
  expect(await dispatch()).toMatchObject({ taken: 0 });
  await trigger.passes.lowerFloors();
  expect(await dispatch()).toMatchObject({ taken: 1, linked: 1 });
});

it.each([
  [100, 100],
  [101, undefined],
])('of %i lanes that wait, a trigger knows each one, or that they are too many to know', async (count, known) => {
  const { client, clock } = ledger();
  await client.create(someSchedule());
  clock.set('2026-03-01T01:00:00Z');
  await (await ledger().trigger()).passes.claim();
  const columns = `schedule_id, state, kind, namespace, schedule_version, workflow_id, claimed_at, check_at, tenant, ready_at, late`;
  await ledger().query(
    `insert into escapement.firings (scheduled_time, task_queue, ${columns})
     select scheduled_time + k * interval '1 second', 'queue ' || k, ${columns} from escapement.firings,
       generate_series(2, $1::int) k`,
    [count],
  );
  const trigger = await ledger().trigger();
  const { lanes } = Reflect.get(trigger, 'context').waiting.of('default');
  expect(lanes.taking().lanes).toEqual([]);
  await trigger.passes.lowerFloors(new Floors());
  expect(lanes.taking().lanes?.length).toBe(known);
});
