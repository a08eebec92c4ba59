import { afterEach, expect, it, vi } from 'vitest';
import { StandstillError } from '../../testing';
import { SkippingServer } from '../../testing/skipping-server';
import { LONGEST_UNLISTED_PAUSE_MILLISECONDS } from '../../trigger/observe/observe';

afterEach(() => vi.useRealTimers());

it('a chain that hangs is a standstill before its next poll, even after the longest pause', async () => {
  vi.useFakeTimers();
  let wake = () => {};
  // A server whose time passes at real speed.
  const busy = {
    connection: { withAbortSignal: (_: AbortSignal, work: () => Promise<void>) => work() },
    currentTimeMs: async () => Date.now(),
    sleep: () =>
      new Promise<void>((resolve) => {
        wake = resolve;
      }),
  };
  const server = await SkippingServer.at(busy as never, Date.now());
  const skipped = server.skipTo(Date.now() + LONGEST_UNLISTED_PAUSE_MILLISECONDS);
  const ended = expect(skipped).rejects.toThrow(StandstillError);
  await vi.advanceTimersByTimeAsync(LONGEST_UNLISTED_PAUSE_MILLISECONDS - 1);
  wake();
  await ended;
});
