import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PostgresUnreachableError } from '../../index';
import { PlacedSessions, Places } from '../../store/places';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => vi.useRealTimers());

const NONE_FREE = /no connection to Postgres became free in time/;
const session = () => ({ query: () => Promise.reject(new Error('not asked')), release: () => {} });

/** Says whether the promise is settled, and how. */
function watched(promise: Promise<unknown>): { as: string } {
  const found = { as: 'waits' };
  promise.then(
    () => {
      found.as = 'opened';
    },
    ({ message }) => {
      found.as = message;
    },
  );
  return found;
}

async function isFree(places: Places): Promise<boolean> {
  const found = watched(places.take());
  await vi.advanceTimersByTimeAsync(0);
  return found.as === 'opened';
}

it('who waits for several places waits for all of them together no longer than for one', async () => {
  const [first, second] = [new Places(1), new Places(1)];
  for (const one of [first, second]) await one.take();
  const sessions = new PlacedSessions(15_000, async () => session());
  const found = watched(sessions.openWithin([first, second], true));
  await vi.advanceTimersByTimeAsync(10_000);
  first.giveBack();
  await vi.advanceTimersByTimeAsync(4_000);
  expect(found.as).toBe('waits');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(found.as).toMatch(NONE_FREE);
  // It has given back the place that it had.
  expect(await isFree(first)).toBe(true);
});

it('while connections cannot be opened, nobody waits for those that try longer than an opening may take', async () => {
  const places = new Places(1);
  let isAway = true;
  const sessions = new PlacedSessions(15_000, async () => {
    if (isAway) throw new PostgresUnreachableError('away');
    return session();
  });
  await expect(sessions.openWithin([places], true)).rejects.toThrow('away');
  await places.take();
  const inOutage = watched(sessions.openWithin([places], true));
  await vi.advanceTimersByTimeAsync(3_000);
  expect(inOutage.as).toMatch(NONE_FREE);

  isAway = false;
  places.giveBack();
  await sessions.openWithin([places], true);
  const afterIt = watched(sessions.openWithin([places], true));
  await vi.advanceTimersByTimeAsync(14_000);
  expect(afterIt.as).toBe('waits');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(afterIt.as).toMatch(NONE_FREE);
});

it('a connection that fails as it is given back gives its place back', async () => {
  const places = new Places(1);
  const sessions = new PlacedSessions(15_000, async () => ({
    ...session(),
    release: () => {
      throw new Error('already released');
    },
  }));
  const { release } = await sessions.openWithin([places], true);
  expect(release).toThrow('already released');
  expect(await isFree(places)).toBe(true);
});
