import { setTimeout } from 'node:timers/promises';
import type { CompiledSpec } from '../../core/occurrences';
import { askUntil } from '../native/ask-again';
import type { NativeSchedules, RawSchedule } from '../native/native';
import { nominalAt, standingOf } from '../native/standing';

/** Longest wait for the Temporal schedule to handle due times; after it the cut-over continues anyway. */
const BEHIND_AT_MOST_MILLISECONDS = 10_000;

/**
 * Waits, for a limited time, until the Temporal schedule has handled all of its times before `at`; without `at`, all
 * times that are due. Without `at`, it gives up ten seconds after the call. With `at`, it gives up ten seconds after
 * the latest of three instants: the call, `at`, and the first start that is not handled. The function does not wait for
 * a paused schedule to handle its times.
 *
 * @returns the server's last answer about the schedule, and the instant at which the server was asked
 */
export async function momentOf(
  native: NativeSchedules,
  scheduleId: string,
  theirs: CompiledSpec,
  at: Date | null,
): Promise<{ raw: RawSchedule; readAt: number }> {
  const begunAt = Date.now();
  let readAt = begunAt;
  await untilShortlyBefore(at);
  const firstOf = (raw: RawSchedule) => standingOf(raw, theirs).first;
  const { answer } = await askUntil(
    () => {
      readAt = Date.now();
      return native.describe(scheduleId);
    },
    (raw) => {
      const first = firstOf(raw);
      if (first === null || raw.schedule?.state?.paused) return true;
      return at ? nominalAt(theirs, first) >= at.getTime() : first > Date.now();
    },
    // Jitter may move the start of a time before `at` far beyond `at`.
    (raw) => {
      const from = at ? Math.max(at.getTime(), firstOf(raw) ?? 0) : 0;
      return Date.now() > Math.max(begunAt, from) + BEHIND_AT_MOST_MILLISECONDS;
    },
  );
  return { raw: answer, readAt };
}

const SHORTLY_MILLISECONDS = 1_000;
/** The longest delay of a Node timer. */
const LONGEST_WAIT_MILLISECONDS = 2 ** 31 - 1;

/** Waits until one second before an instant; without an instant, it does not wait. */
export async function untilShortlyBefore(at: Date | null): Promise<void> {
  for (;;) {
    const left = (at?.getTime() ?? 0) - SHORTLY_MILLISECONDS - Date.now();
    if (left <= 0) return;
    await setTimeout(Math.min(left, LONGEST_WAIT_MILLISECONDS));
  }
}
