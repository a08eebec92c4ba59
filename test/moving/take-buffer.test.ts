import { expect, it } from 'vitest';
import { pauseNote } from '../../moving/native/standing';
import { watchedPool } from '../support/connections/watched-pool';
import { useLedger } from '../support/ledger';
import { useMoves } from '../support/moving/moving';
import { useWorker } from '../support/temporal';

const ledger = useLedger();
const worker = useWorker({ ownNamespace: true });
const { nativeSchedule, imported } = useMoves(ledger, worker);

const HOUR = 3_600_000;

/** An imported schedule whose native one has two starts buffered, and so many actions left. */
async function withBuffer(remainingActions: number) {
  const first = Math.floor(Date.now() / HOUR) * HOUR - 3 * HOUR;
  // As a cut-over leaves it that was killed after its pause.
  const scheduleId = await nativeSchedule({
    spec: { intervals: [{ every: '1h' }] },
    policies: { overlap: 'BUFFER_ALL' },
    state: { paused: true, note: pauseNote('somebody'), remainingActions },
  });
  const client = await imported(scheduleId);
  await ledger().query(`update escapement.moves set state = 'cutting_over', evidence = $1`, [
    { first: first + 3 * HOUR, last: first - HOUR, lastStartedAt: first - HOUR, buffered: 2 },
  ]);
  const handle = client.getHandle(scheduleId);
  const options = { from: worker().client, scheduleIds: [scheduleId] };
  return {
    handle,
    one: new Date(first),
    other: new Date(first + HOUR),
    cutOver: () => client.cutOver(options),
    takeBuffer: (by = client) => by.cutOver({ ...options, takeBuffer: true }),
    left: async () => (await handle.describe()).state.remainingActions,
  };
}

it('runs no more of what the native schedule had buffered than the actions that are left', async () => {
  const { handle, one, other, takeBuffer, left } = await withBuffer(1);
  expect((await takeBuffer()).schedules).toMatchObject([{ status: 'moved', taken: [one], buffered: [other] }]);
  expect(await left()).toBe(0);

  expect((await takeBuffer()).schedules).toMatchObject([{ taken: [], buffered: [other] }]);
  await handle.update((previous) => ({ ...previous, state: { remainingActions: 3 } }));
  expect((await takeBuffer()).schedules).toMatchObject([{ taken: [other], buffered: [] }]);
  expect(await left()).toBe(2);
});

it('takes no action for a buffered time that was backfilled before', async () => {
  const { handle, one, other, cutOver, takeBuffer, left } = await withBuffer(5);
  await cutOver();
  await handle.backfill({ start: one, end: one });
  expect(await left()).toBe(5);
  expect((await takeBuffer()).schedules).toMatchObject([{ taken: [one, other], buffered: [] }]);
  expect(await left()).toBe(4);
});

it('takes the actions of what was buffered once if two calls take it at once', async () => {
  const { one, other, cutOver, takeBuffer, left } = await withBuffer(5);
  await cutOver();
  let locks = 0;
  const pool = watchedPool(ledger(), {
    before: async (text) => {
      // The slow call has read the move under its first lock. The other call takes the buffer before the second one.
      if (!text.includes('for no key update') || ++locks !== 2) return;
      expect((await takeBuffer()).schedules).toMatchObject([{ taken: [one, other], buffered: [] }]);
    },
  });
  const slow = ledger().newClient({
    ...{ connectionString: undefined as never, pool },
    ...{ now: undefined as never, namespace: worker().namespace },
  });
  expect((await takeBuffer(slow)).schedules).toMatchObject([{ taken: [], buffered: [] }]);
  expect(locks).toBe(2);
  expect(await left()).toBe(3);
});
