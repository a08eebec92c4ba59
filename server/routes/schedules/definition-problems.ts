import { withoutCalendars } from '../../../client/calendars/fill-days';
import { allProblems } from '../../../core/definition/all-problems';
import { parseScheduleOptions } from '../../../core/definition/parse';
import { withinSteps } from '../../../core/occurrences';
import type { Problem } from '../../../core/options';
import type { ScheduleOptions } from '../../../core/schedule/options';

/** The problems of a definition, at most 100, regardless of the stored definition. */
export function definitionProblems(scheduleId: string, given: ScheduleOptions): Problem[] {
  const options = typeof given === 'object' && given !== null ? { ...given, scheduleId } : given;
  return allProblems(options, (one: ScheduleOptions) =>
    withinSteps('spec', () => parseScheduleOptions(withoutCalendars(one), 'default')),
  );
}
