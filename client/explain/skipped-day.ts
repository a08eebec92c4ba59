import { localTime } from '../../core/local-time';
import { compileSpec } from '../../core/occurrences';
import { namesDays } from '../../core/occurrences/days/day-names';
import { type SkippedDay, skippedDayOf, withoutDays } from '../../core/occurrences/days/skipped-day';
import { isDate } from '../../core/occurrences/read';
import type { ScheduleSpec } from '../../core/schedule/spec';
import { zoneOf } from '../../core/spec-zone';
import { readCalendars } from '../../store/calendars/rows';
import { type ClientContext, unlessInvalid } from '../context';

/**
 * The day rule that keeps an instant from being an occurrence, and that rule in words; undefined if the instant would
 * not be an occurrence without day rules either.
 */
export async function skippedDay(
  context: ClientContext,
  { spec, tenant }: { spec: ScheduleSpec; tenant: string },
  { scheduleId, time }: { scheduleId: string; time: Date },
): Promise<{ skipped: SkippedDay; sentence: string } | undefined> {
  if (!namesDays(spec)) return undefined;
  const at = time.getTime();
  const skipped = unlessInvalid(() => {
    const occurs = compileSpec(withoutDays(spec), { scheduleId }).next(at - 1) === at;
    return occurs ? skippedDayOf(spec, at) : undefined;
  });
  if (!skipped) return undefined;
  const { date } = localTime(time, zoneOf(spec));
  const names = skipped.entries.filter((entry) => !isDate(entry));
  const calendars = await readCalendars(
    context.store,
    names.map((name) => ({ tenant, name })),
  );
  const labels = new Map(calendars.map(({ name, labels: all }) => [name, all[date]]));
  return { skipped, sentence: inWords(skipped, date, (name) => labels.get(name)) };
}

function inWords({ part, entries }: SkippedDay, date: string, labelOf: (name: string) => string | undefined): string {
  const calendars = entries.filter((entry) => !isDate(entry));
  if (part === 'onlyDays') return `skipped: ${date} is not one of its onlyDays (${entries.join(', ')})`;
  if (calendars.length === 0) return `skipped: ${date} is one of its skipDays`;
  const [first = ''] = calendars;
  const label = labelOf(first);
  return `skipped: ${date} is in calendar ${calendars.join(' and in calendar ')}${label ? ` (${label})` : ''}`;
}
