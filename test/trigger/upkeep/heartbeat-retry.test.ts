import { afterEach, expect, it, vi } from 'vitest';
import { LIMITS } from '../../../trigger/limits';
import { heartbeatLoop } from '../../../trigger/loops';
import { MemoryLogger } from '../../support/logger';

afterEach(() => void vi.useRealTimers());

it.each([5_000, 6_000])(
  'a trigger that counts as dead after %i ms without a heartbeat sends another one within that time after one that failed',
  async (staleAfterMilliseconds) => {
    vi.useFakeTimers();
    const sent: number[] = [];
    const begun = Date.now();
    const heartbeat = async () => {
      sent.push(Date.now() - begun);
      if (sent.length > 1) throw new Error('Postgres is away');
    };
    const context = { limits: LIMITS, settings: { staleAfterMilliseconds }, logger: new MemoryLogger() };
    const loop = heartbeatLoop(context as never, { heartbeat } as never);
    loop.start();
    await vi.advanceTimersByTimeAsync(staleAfterMilliseconds);
    expect(sent.filter((at) => at > 0 && at < staleAfterMilliseconds).length).toBeGreaterThanOrEqual(2);
    const ended = loop.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    await ended;
  },
);
