import { namesDays } from '../core/occurrences/days/day-names';
import type { ScheduleSpec } from '../core/schedule/spec';

/** The newest form of a schedule that this program knows; triggers ignore schedules in newer forms. */
export const SPEC_FORMAT = 4;

/** The form of a schedule in shadow mode: a trigger that does not know shadow mode must not start its workflows. */
export const SHADOW_FORMAT = 3;

/** The form of a schedule with calendar days: a trigger that does not know them would fire on excluded days. */
export const DAYS_FORMAT = 4;

/**
 * The oldest form that expresses the whole schedule, so that older triggers ignore only schedules that they would handle
 * wrongly.
 */
export function formatOf({ spec, pausedUntil }: { spec: ScheduleSpec; pausedUntil?: Date | null | undefined }): number {
  if (namesDays(spec)) return DAYS_FORMAT;
  return pausedUntil ? 2 : 1;
}
