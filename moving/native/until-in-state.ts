import { setTimeout } from 'node:timers/promises';
import { isDeadlineExceeded, type NativeSchedules, type RawSchedule } from './native';
import { pauseOf } from './standing';

/** How long the server may take to come to a pause or an unpause: one that has too much to do takes seconds. */
const AT_MOST_MILLISECONDS = 60_000;
const AGAIN_AFTER_MILLISECONDS = 50;

/**
 * The server's answer once it has come to a pause, or to an unpause; undefined where it has not within a minute.
 *
 * The old scheduler takes either as a signal: the call has returned before the schedule knows of it. What falls due in between is of
 * the side that ends. The new one has come to it when the call returns.
 */
export async function untilInState(
  native: NativeSchedules,
  scheduleId: string,
  isInState: (pause: ReturnType<typeof pauseOf>) => boolean,
): Promise<RawSchedule | undefined> {
  const deadline = Date.now() + AT_MOST_MILLISECONDS;
  for (;;) {
    try {
      const raw = await native.describe(scheduleId);
      if (isInState(pauseOf(raw))) return raw;
    } catch (error) {
      // The old scheduler answers once it has come to what was asked of it before.
      if (!isDeadlineExceeded(error)) throw error;
    }
    if (Date.now() > deadline) return undefined;
    await setTimeout(AGAIN_AFTER_MILLISECONDS);
  }
}
