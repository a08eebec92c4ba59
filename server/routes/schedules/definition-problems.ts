import { withoutCalendars } from '../../../client/calendars/fill-days';
import { allProblems } from '../../../core/definition/all-problems';
import { parseScheduleOptions } from '../../../core/definition/definition';
import { withinSteps } from '../../../core/occurrences';
import type { Problem } from '../../../core/options';
import type { ScheduleOptions } from '../../../core/schedule';

/** Everything that is wrong with a definition, whatever it is to be compared with. */
export function definitionProblems(scheduleId: string, given: ScheduleOptions): Problem[] {
  const options = typeof given === 'object' && given !== null ? { ...given, scheduleId } : given;
  return allProblems(options, (one: ScheduleOptions) =>
    withinSteps('spec', () => parseScheduleOptions(withoutCalendars(one), 'default')),
  );
}
