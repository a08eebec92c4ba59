import { askUntil } from './ask-again';
import { isDeadlineExceeded, type NativeSchedules, type RawSchedule } from './native';
import { pauseOf } from './standing';

/** How long the server may take to come to a pause or an unpause: one that has too much to do takes seconds. */
const AT_MOST_MILLISECONDS = 60_000;

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
  const { answer, isIt } = await askUntil(
    () => unlessLate(native.describe(scheduleId)),
    (raw) => raw !== undefined && isInState(pauseOf(raw)),
    () => Date.now() > deadline,
  );
  return isIt ? answer : undefined;
}

/** The old scheduler answers once it has come to what was asked of it before. */
async function unlessLate(answer: Promise<RawSchedule>): Promise<RawSchedule | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isDeadlineExceeded(error)) return undefined;
    throw error;
  }
}
