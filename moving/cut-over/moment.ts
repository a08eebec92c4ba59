import { setTimeout } from 'node:timers/promises';
import type { CompiledSpec } from '../../core/occurrences';
import { askUntil } from '../native/ask-again';
import type { NativeSchedules, RawSchedule } from '../native/native';
import { nominalAt, standingOf } from '../native/standing';

/** How long native may take to come to what is due before it is paused all the same. */
const BEHIND_AT_MOST_MILLISECONDS = 10_000;

/**
 * Wait for the moment at which native has come to all of its times before `at`, and to none from it on; the server's answer of then.
 * Without `at` that is as soon as it has come to what is due.
 */
export async function momentOf(
  native: NativeSchedules,
  scheduleId: string,
  compiled: CompiledSpec,
  at: Date | null,
): Promise<RawSchedule> {
  const begunAt = Date.now();
  await untilShortlyBefore(at);
  const firstOf = (raw: RawSchedule) => standingOf(raw, compiled).first;
  const { answer } = await askUntil(
    () => native.describe(scheduleId),
    (raw) => {
      const first = firstOf(raw);
      if (first === null || raw.schedule?.state?.paused) return true;
      return at ? nominalAt(compiled, first) >= at.getTime() : first > Date.now();
    },
    // Jitter may put a time from before the instant far behind it.
    (raw) => {
      const from = at ? Math.max(at.getTime(), firstOf(raw) ?? 0) : 0;
      return Date.now() > Math.max(begunAt, from) + BEHIND_AT_MOST_MILLISECONDS;
    },
  );
  return answer;
}

const SHORTLY_MILLISECONDS = 1_000;
/** What a timer of Node can wait. */
const LONGEST_WAIT_MILLISECONDS = 2 ** 31 - 1;

/** Wait until a second before an instant; not at all without one. */
export async function untilShortlyBefore(at: Date | null): Promise<void> {
  for (;;) {
    const left = (at?.getTime() ?? 0) - SHORTLY_MILLISECONDS - Date.now();
    if (left <= 0) return;
    await setTimeout(Math.min(left, LONGEST_WAIT_MILLISECONDS));
  }
}
