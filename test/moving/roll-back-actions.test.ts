import { expect, it, vi } from 'vitest';
import { useLedger } from '../support/ledger';
import { useMoves } from '../support/moving/moving';
import { useWorker } from '../support/temporal';
import { withCalls } from '../support/temporal-calls';

const ledger = useLedger();
const worker = useWorker({ ownNamespace: true });
const { nativeSchedule, imported } = useMoves(ledger, worker);

/** A schedule that was cut over with 5 actions. Its next time is half an hour away, on both sides. */
async function cutOver({ paused = false, left = 3 } = {}) {
  const { client: from } = worker();
  const offset = `${(Math.floor(Date.now() / 1_000) + 1_800) % 3_600}s` as const;
  const spec = { intervals: [{ every: '1h' as const, offset }] };
  const note = paused ? { note: 'by a person' } : {};
  const scheduleId = await nativeSchedule({ spec, state: { remainingActions: 5, paused, ...note } });
  const client = await imported(scheduleId);
  const which = { scheduleIds: [scheduleId] };
  expect((await client.cutOver({ from, ...which })).schedules).toMatchObject([{ status: 'moved', paused }]);
  const handle = client.getHandle(scheduleId);
  // As if the others had been used.
  await handle.update((previous) => ({ ...previous, state: { ...previous.state, remainingActions: left } }));
  const native = from.schedule.getHandle(scheduleId);
  return {
    handle,
    native,
    rollBack: async (by = from) => (await client.rollBack({ from: by, ...which })).schedules,
    there: async () => {
      const { state } = await native.describe();
      await native.delete();
      return state;
    },
  };
}

it('gives a native schedule that stays paused the actions that are left, for whoever unpauses it', async () => {
  const { handle, rollBack, there } = await cutOver();
  await handle.pause('by a person');
  expect(await rollBack()).toMatchObject([{ status: 'moved', paused: true }]);
  expect(await there()).toMatchObject({ paused: true, remainingActions: 3 });
});

it('gives these also to one that a person had paused, and that ran only here since its cut-over', async () => {
  const { handle, rollBack, there } = await cutOver({ paused: true });
  await handle.unpause();
  expect(await rollBack()).toMatchObject([{ status: 'moved', paused: true }]);
  expect(await there()).toMatchObject({ paused: true, note: 'by a person', remainingActions: 3 });
});

it('gives these in a further call if somebody changed native at that moment', async () => {
  const { handle, rollBack, there } = await cutOver();
  await handle.pause('by a person');
  let described = 0;
  const from = withCalls(worker().client, {
    describeSchedule: async (request, real) => {
      const answer = await real(request);
      // So the old scheduler ignores the update. The clock then passes the minute of the wait.
      if (++described === 2) answer.conflictToken = Buffer.from([9, 0, 0, 0, 0, 0, 0, 0]);
      if (described === 3) vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
      return answer;
    },
  });
  const [first] = await rollBack(from).finally(vi.useRealTimers);
  expect(first).toMatchObject({ status: 'refused', reason: expect.stringContaining('within a minute') });
  expect(await rollBack(from)).toMatchObject([{ status: 'moved', paused: true }]);
  expect(await there()).toMatchObject({ paused: true, remainingActions: 3 });
});

it('leaves a native schedule the actions that it has if somebody has unpaused it, and says that it is not paused', async () => {
  const { handle, native, rollBack, there } = await cutOver();
  await handle.pause({ until: new Date(Date.now() + 3_600_000) });
  await native.unpause('by a person');
  expect(await rollBack()).toMatchObject([{ status: 'moved', paused: false, notes: [] }]);
  expect(await there()).toMatchObject({ paused: false, remainingActions: 5 });
});

it.each([
  ['enough of its own', 500, 5, []],
  ['no limit any more', 500, undefined, []],
  ['more than are left', 1, 5, [expect.stringMatching(/^1 of what .* is beyond the actions that were left/)]],
])(
  'counts what runs here by the actions that native has if somebody has unpaused it: %s',
  async (_, left, there, beyond) => {
    const { handle, native, rollBack } = await cutOver({ left });
    await handle.update((previous) => ({ ...previous, spec: { intervals: [{ every: '1s' }] } }));
    const changedAt = Date.now();
    await native.update(({ state, ...previous }) => ({
      ...previous,
      state: { ...state, paused: false, remainingActions: there },
    }));
    // No trigger runs, so nothing has answered these times.
    await expect.poll(() => Date.now() > changedAt + 2_000, { timeout: 60_000 }).toBe(true);
    const [result] = await rollBack();
    await native.delete();
    expect(result!.taken.length).toBeGreaterThan(0);
    expect(result!.notes).toEqual([expect.stringContaining('changed here'), ...beyond]);
  },
);
