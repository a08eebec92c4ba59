import { heartbeat } from '@temporalio/activity';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { heartbeatWhile } from '../../activities';
import { aborted, TestActivity } from '../support/leases/lease-activities';

const NO_QUERY = { connectionString: 'postgres://nobody@127.0.0.1:1/nowhere' };

describe('heartbeatWhile', () => {
  it('is sent until the step ends, with what the attempt before has saved', async () => {
    const activity = new TestActivity(undefined, { heartbeatTimeoutMs: 40, heartbeatDetails: { page: 7 } });
    const result = await activity.run(() => heartbeatWhile(() => activity.untilHeartbeats(3).then(() => 'done')));
    expect(result).toBe('done');
    expect(activity.heartbeats.slice(0, 4)).toEqual([{ page: 7 }, { page: 7 }, { page: 7 }, { page: 7 }]);
  });

  it.each([
    ['before it', async (_: unknown) => {}, { page: 1 }],
    ['by heartbeat()', async () => heartbeat({ page: 2 }), { page: 2 }],
    ['by its own', async (own: { heartbeat(details: unknown): void }) => own.heartbeat({ page: 3 }), { page: 3 }],
  ] as const)('keeps what the activity saved %s', async (_, save, saved) => {
    const activity = new TestActivity(NO_QUERY, { heartbeatTimeoutMs: 40, heartbeatDetails: { page: 0 } });
    await activity.run(async () => {
      heartbeat({ page: 1 });
      await heartbeatWhile(async (own) => {
        await save(own);
        await activity.untilHeartbeats(2);
      });
    });
    expect(activity.heartbeats.slice(-2)).toEqual([saved, saved]);
  });

  it('tells the step that the activity is cancelled', async () => {
    const activity = new TestActivity(undefined);
    const running = activity.run(() => heartbeatWhile(({ signal }) => aborted(signal)));
    activity.cancel();
    expect(await running).toMatchObject({ name: 'CancelledFailure' });
  });

  it('sends nothing from a local activity, which has no heartbeats', async () => {
    const activity = new TestActivity(undefined, { isLocal: true });
    expect(await activity.run(() => heartbeatWhile(async () => 'done'))).toBe('done');
    expect(activity.heartbeats).toEqual([]);
  });

  it('stops with the step, however it ends', async () => {
    // Only those of this step: other files of the process have timers of their own.
    const set = vi.spyOn(globalThis, 'setInterval');
    onTestFinished(() => set.mockRestore());
    const activity = new TestActivity(undefined);
    const failing = activity.run(() =>
      heartbeatWhile(async () => {
        throw new Error('card declined');
      }),
    );
    await expect(failing).rejects.toThrow('card declined');
    const timers = set.mock.results.map(({ value }) => value);
    expect(timers).toMatchObject([{ _destroyed: true }]);
  });
});
