import { namesDays } from '../core/occurrences/days/day-names';
import type { ScheduleSpec } from '../core/schedule';

/** The newest form of a schedule that this program knows; a trigger leaves newer forms alone. */
export const SPEC_FORMAT = 4;

/** The form of a schedule in shadow: a trigger that knows no shadow must not start its workflows. */
export const SHADOW_FORMAT = 3;

/** The form of a schedule that names days: a trigger that knows none would fire on them. */
export const DAYS_FORMAT = 4;

/** The form of a schedule: the oldest that says all of it, so that older triggers leave alone only what they would get wrong. */
export function formatOf({ spec, pausedUntil }: { spec: ScheduleSpec; pausedUntil?: Date | null | undefined }): number {
  if (namesDays(spec)) return DAYS_FORMAT;
  return pausedUntil ? 2 : 1;
}
