import { expect, it } from 'vitest';
import { useLedger } from '../support/ledger';
import { useMoves } from '../support/moving/moving';
import { useWorker } from '../support/temporal';

const ledger = useLedger();
const worker = useWorker({ ownNamespace: true });
const { nativeSchedule, imported } = useMoves(ledger, worker);

/** Deletes a native schedule, and waits until the server no longer knows it. */
async function deleted(scheduleId: string): Promise<void> {
  const native = worker().client.schedule.getHandle(scheduleId);
  await native.delete();
  const isThere = () =>
    native.describe().then(
      () => true,
      () => false,
    );
  await expect.poll(isThere, { timeout: 60_000 }).toBe(false);
}

const refused = (reason: string) => [{ status: 'refused', reason: expect.stringContaining(reason) }];

it.each([
  ['in shadow, before its pause', true, null],
  ['in shadow, after its pause', true, { first: null, last: null, lastStartedAt: null, buffered: 0 }],
  ['without shadow', false, null],
])(
  'a roll back ends the cut-over of a schedule that was deleted in Temporal, %s, and leaves it here, paused',
  async (_, shadow, evidence) => {
    const { client: from } = worker();
    const scheduleId = await nativeSchedule();
    const client = await imported(scheduleId, shadow);
    const handle = client.getHandle(scheduleId);
    const which = { from, scheduleIds: [scheduleId] };
    // As a call leaves it that was killed.
    await ledger().query(`update escapement.moves set state = 'cutting_over', evidence = $1`, [evidence]);
    await deleted(scheduleId);
    expect((await client.cutOver(which)).schedules).toMatchObject(refused('`escapement roll-back` ends its move'));

    expect((await client.rollBack(which)).schedules).toMatchObject(refused('is paused here: unpause it'));
    const { state } = await handle.describe();
    expect(state).toMatchObject({ paused: true, note: expect.stringContaining('was deleted while it moved') });
    expect(state.shadow).toBeUndefined();
    expect((await client.cutOver(which)).schedules).toMatchObject([{ status: 'unchanged' }]);
    await handle.unpause();
    expect((await client.rollBack(which)).schedules).toMatchObject(refused('stays here as it is; `escapement export`'));
    expect((await handle.describe()).state.paused).toBe(false);
  },
);

it('a roll back leaves a schedule running that was deleted in Temporal since its cut-over, and so does a cut-over after it', async () => {
  const { client: from } = worker();
  const scheduleId = await nativeSchedule();
  const client = await imported(scheduleId);
  const which = { from, scheduleIds: [scheduleId] };
  expect((await client.cutOver(which)).schedules).toMatchObject([{ status: 'moved' }]);
  await deleted(scheduleId);
  expect((await client.rollBack(which)).schedules).toMatchObject(refused('stays here as it is'));
  expect((await client.cutOver(which)).schedules).toMatchObject([{ status: 'unchanged' }]);
  expect((await client.getHandle(scheduleId).describe()).state.paused).toBe(false);
});

it('a roll back that was killed after it stopped the schedule here says how to run it here, once it is deleted in Temporal', async () => {
  const { client: from } = worker();
  const scheduleId = await nativeSchedule();
  const client = await imported(scheduleId);
  const which = { from, scheduleIds: [scheduleId] };
  await client.cutOver(which);
  const evidence = { answeredTo: Date.now(), remainingActions: null, unpausedAt: null };
  await client.getHandle(scheduleId).pause('rolled back');
  await ledger().query(`update escapement.moves set state = 'rolling_back', evidence = $1`, [evidence]);
  await deleted(scheduleId);
  expect((await client.rollBack(which)).schedules).toMatchObject(refused('is paused here: unpause it'));
  expect((await client.getHandle(scheduleId).describe()).state).toMatchObject({
    paused: true,
    note: expect.stringContaining('was deleted while it moved'),
  });
  expect((await client.cutOver(which)).schedules).toMatchObject([{ status: 'unchanged' }]);
});
