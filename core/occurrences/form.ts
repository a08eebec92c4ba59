import type { ScheduleSpec } from '../schedule/spec';
import { ownCalendars } from './compile';
import { isHashed } from './shared';

/**
 * A text that determines a schedule's nominal times: schedules with the same text have the same nominal times. Jitter
 * is not part of the text, since it only moves starts. For a spec with `H`, the text contains the values that `H` has
 * for the schedule's ID.
 *
 * @throws {InvalidScheduleError} for a spec with `H` whose expressions cannot be parsed
 */
export function formOf({ jitter: _, ...spec }: ScheduleSpec, scheduleId: string): string {
  if (!isHashed(spec)) return JSON.stringify(spec);
  const { cron: __, ...rest } = spec;
  return JSON.stringify([rest, ownCalendars(spec, scheduleId)]);
}
