import { askUntil } from './ask-again';
import { isDeadlineExceeded, type NativeSchedules, type RawSchedule } from './native';

const AT_MOST_MILLISECONDS = 60_000;

/**
 * Waits until the server has applied a change of the state, such as a pause, and returns its answer; undefined if it
 * has not done so within a minute.
 *
 * The old scheduler receives changes as signals, so the call returns before the schedule knows of them. Times that
 * become due in between belong to the side that stops. The new scheduler has applied the change by the time the call
 * returns.
 */
export async function untilInState(
  native: NativeSchedules,
  scheduleId: string,
  isInState: (raw: RawSchedule) => boolean,
): Promise<RawSchedule | undefined> {
  const deadline = Date.now() + AT_MOST_MILLISECONDS;
  const { answer, isIt } = await askUntil(
    () => unlessLate(native.describe(scheduleId)),
    (raw) => raw !== undefined && isInState(raw),
    () => Date.now() > deadline,
  );
  return isIt ? answer : undefined;
}

/** Undefined without an answer in time: the old scheduler answers only after it has handled earlier requests. */
async function unlessLate(answer: Promise<RawSchedule>): Promise<RawSchedule | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isDeadlineExceeded(error)) return undefined;
    throw error;
  }
}
