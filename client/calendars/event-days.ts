import { checkDates, dayOf, daysOf, type IcalEvent, nameOf, refusal } from './ics-event';
import { daysOfRule, problemOf, type Rule } from './rule-days';

/** The first and the last day of an occurrence, as day numbers. */
export type Occurrence = [first: number, last: number];

export interface Range {
  /** The first day that counts, as a day number. */
  from: number;
  /** The last day that counts. */
  through: number;
  /** Called with a number of days that were tested or are part of an event; throws if a file has too many of them. */
  spend(event: IcalEvent, days: number): void;
}

const DAYS_OF_AN_EVENT_AT_MOST = 3_660;

/** Whether an event changes one occurrence of another event. */
export function isChange({ component }: IcalEvent): boolean {
  return component.hasProperty('recurrence-id');
}

/**
 * The occurrences of a whole-day event, without those that its `changes` replace; undefined for an event at a time of
 * day. Of an event that recurs, only the days of the range count.
 *
 * @throws {InvalidOptionError} for an event whose days are not certain; an `Error` for an event that `ical.js` cannot
 * read
 */
export function occurrencesOf(event: IcalEvent, changes: IcalEvent[], range: Range): Occurrence[] | undefined {
  checkDates(event);
  const { startDate } = event;
  if (!startDate) throw refusal(`event ${nameOf(event)} has no beginning (DTSTART)`);
  if (!startDate.isDate) return undefined;
  const start = dayOf(startDate.toString());
  // An event without an end lasts one day.
  const length = Math.max(1, dayOf(event.endDate.toString()) - start);
  if (length > DAYS_OF_AN_EVENT_AT_MOST) throw refusal(`event ${nameOf(event)} is longer than ten years`);
  const occurrence = (first: number): Occurrence => [first, first + length - 1];
  const inRange = (firsts: number[]) =>
    firsts
      .map(occurrence)
      .filter(([first, last]) => last >= range.from && first <= range.through)
      .map(([first, last]): Occurrence => [Math.max(first, range.from), Math.min(last, range.through)]);
  if (isChange(event)) {
    refuseOfLater([event]);
    return inRange([start]);
  }
  if (!event.isRecurring()) return [occurrence(start)];
  // Such a change is refused even if it moves the days to a time of day. If `ignoreTimed` left it out, only its own day
  // would be missing from the series, and not the later ones.
  refuseOfLater(changes);
  const dates = ruleDays(event, start, { ...range, from: range.from - length });
  const firsts = new Set([...dates, ...daysOf(event, 'rdate')]);
  for (const day of daysOf(event, 'exdate')) firsts.delete(day);
  for (const day of changes.flatMap((change) => daysOf(change, 'recurrence-id'))) firsts.delete(day);
  return inRange([...firsts]);
}

/** Refuses changes that apply to a day and all later days. */
function refuseOfLater(changes: IcalEvent[]): void {
  const change = changes.find((one) => one.modifiesFuture());
  if (change) throw refusal(`event ${nameOf(change)} has RANGE=THISANDFUTURE; give it a rule of its own`);
}

/** The days of the event's rules; without a rule, the event's own first day. The caller adds the days of `RDATE`. */
function ruleDays(event: IcalEvent, start: number, range: Range): number[] {
  const { component } = event;
  if (component.hasProperty('exrule')) throw refusal(`event ${nameOf(event)} has an EXRULE; write EXDATE instead`);
  const properties = component.getAllProperties('rrule');
  if (properties.length === 0) return [start];
  const rules = properties.map((property) => property.getFirstValue() as unknown as Rule);
  const problem = properties.flatMap(
    ({ jCal }, index) => problemOf(rules[index]!, Object.keys(jCal[3] as object)) ?? [],
  );
  if (problem.length > 0) throw refusal(`event ${nameOf(event)} has a rule without certain days: ${problem[0]}`);
  const days = rules.flatMap((rule) => [...daysOfRule(rule, start, range, (tested) => range.spend(event, tested))]);
  const decides = start >= range.from || rules.some(({ count }) => count);
  if (decides && start <= range.through && !days.includes(start)) {
    throw refusal(`event ${nameOf(event)} begins on a day that its rule does not have; correct its DTSTART`);
  }
  return days;
}
