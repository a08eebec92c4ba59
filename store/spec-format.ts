import { namesDays } from '../core/occurrences/days/day-names';
import type { ScheduleSpec } from '../core/schedule/spec';

/** The newest form of schedules that this program knows; a trigger ignores schedules in newer forms. */
export const SPEC_FORMAT = 4;

/** The form of schedules in shadow mode: a trigger that does not know shadow mode must not start their workflows. */
export const SHADOW_FORMAT = 3;

/**
 * The form of schedules with calendar days, or with days of the month such as `15W` and `L-3`. A trigger that does not
 * know calendar days would fire on excluded days. One that cannot read the other days would set the schedule aside.
 */
export const DAYS_FORMAT = 4;

/**
 * The oldest form that expresses the spec and the pause of a schedule that is not in shadow mode. With the oldest form,
 * older triggers leave out only schedules that they would handle wrongly.
 */
export function formatOf({ spec, pausedUntil }: { spec: ScheduleSpec; pausedUntil?: Date | null | undefined }): number {
  if (namesDays(spec) || hasNearDays(spec)) return DAYS_FORMAT;
  return pausedUntil ? 2 : 1;
}

function hasNearDays({ cron }: ScheduleSpec): boolean {
  return [cron].flat().some((expression: unknown) => {
    // A damaged row may have any value here.
    const fields = String(expression).trim().split(/\s+/);
    return /\dW|LW|L-/i.test(fields[fields.length === 5 ? 2 : 3] ?? '');
  });
}
