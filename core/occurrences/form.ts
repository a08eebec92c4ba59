import type { ScheduleSpec } from '../schedule';
import { ownCalendars } from './compile';
import { isHashed } from './shared';

/**
 * What schedules have in common that fire at the same nominal times: equal texts mean equal times. Jitter is none of it, since it
 * moves starts alone; of `H` it is what the ID makes of it.
 *
 * @throws {InvalidScheduleError} for a hashed expression that cannot be read
 */
export function formOf({ jitter: _, ...spec }: ScheduleSpec, scheduleId: string): string {
  if (!isHashed(spec)) return JSON.stringify(spec);
  const { cron: __, ...rest } = spec;
  return JSON.stringify([rest, ownCalendars(spec, scheduleId)]);
}
