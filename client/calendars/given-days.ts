import { InvalidOptionError } from '../../core/errors';
import { LAST_YEAR } from '../../core/occurrences/civil';
import { DAYS_AT_MOST, readDay } from '../../core/occurrences/days/read-days';
import type { PutCalendarOptions } from './calendar-options';
import { readIcs } from './read-ics';

const YEARS_BACK = 5;
const YEARS_AHEAD = 10;

/** The given days as a map from date to label. @throws {InvalidOptionError} */
export async function daysOf(options: PutCalendarOptions, now: Date): Promise<Map<string, string>> {
  const { days, ics, from, through, ignoreTimed } = options;
  if ((days === undefined) === (ics === undefined)) {
    throw new InvalidOptionError('days', "are given by either 'days' or 'ics'");
  }
  if (days) {
    for (const option of ['from', 'through', 'ignoreTimed'] as const) {
      if (options[option] !== undefined) throw new InvalidOptionError(option, "is for 'ics' alone");
    }
    const given = days.map((one) => (typeof one === 'string' ? { day: one } : one));
    return checked(new Map(given.map(({ day, label = '' }) => [day, label])), 'days');
  }
  const year = now.getUTCFullYear();
  const horizon = {
    from: from ?? `${year - YEARS_BACK}-01-01`,
    through: through ?? `${Math.min(year + YEARS_AHEAD, LAST_YEAR)}-12-31`,
  };
  if (horizon.from > horizon.through) throw new InvalidOptionError('through', "is before 'from'");
  return checked(await readIcs(ics!, { ...horizon, ignoreTimed: ignoreTimed ?? false }), 'ics');
}

function checked(days: Map<string, string>, path: string): Map<string, string> {
  if (days.size > DAYS_AT_MOST) {
    throw new InvalidOptionError(path, `has more than ${DAYS_AT_MOST.toLocaleString('en')} days`);
  }
  for (const day of days.keys()) readDay(day, path);
  return days;
}
