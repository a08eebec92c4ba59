import { InvalidOptionError } from '../../core/errors';
import { isDate } from '../../core/occurrences/read';
import { show } from '../../core/occurrences/show';

/** How to turn the events of a file into days. */
export interface ReadIcsOptions {
  /** Recurring events count from this date on. */
  from: string;
  /** Recurring events count up to and including this date. */
  through: string;
  /** Leave out events that begin at a time of day. */
  ignoreTimed: boolean;
}

type Ical = typeof import('ical.js', { with: { 'resolution-mode': 'import' }}).default;
type IcalEvent = InstanceType<Ical['Event']>;
type IcalTime = InstanceType<Ical['Time']>;

const OCCURRENCES_AT_MOST = 20_000;
const DAYS_OF_AN_EVENT_AT_MOST = 3_660;
const LABEL_AT_MOST = 200;

/**
 * The days of an iCalendar file, as a map from date to label. Each whole-day event gives all of its days. Recurring
 * events count between the given dates, without their exceptions. Cancelled events do not count.
 *
 * @throws {InvalidOptionError} naming `ics`, if the text is no iCalendar file with readable whole-day events
 */
export async function readIcs(text: string, options: ReadIcsOptions): Promise<Map<string, string>> {
  // `ical.js` is an ES module, so it is loaded with `import()`.
  const { default: ical } = await import('ical.js');
  const days = new Map<string, string>();
  let isEmpty = true;
  for (const event of eventsOf(ical, text)) {
    // An event that changes one occurrence of another event is read together with that event.
    if (event.isRecurrenceException() || isCancelled(event)) continue;
    checkDates(event);
    if (!event.startDate) throw refusal(`event ${nameOf(event)} has no beginning (DTSTART)`);
    if (!event.startDate.isDate) {
      if (options.ignoreTimed) continue;
      throw refusal(
        `event ${nameOf(event)} begins at a time of day, and days are whole-day events alone; ` +
          'leave such events out with ignoreTimed (--ignore-timed)',
      );
    }
    isEmpty = false;
    for (const occurrence of readOccurrences(event, options)) addDays(days, occurrence, ical);
  }
  if (isEmpty) throw refusal('has no whole-day event');
  return days;
}

function eventsOf(ical: Ical, text: string): IcalEvent[] {
  let parsed: unknown;
  try {
    parsed = ical.parse(text);
  } catch (error) {
    throw refusal(`is not an iCalendar file (${(error as Error).message})`);
  }
  // If a file has several calendars, the parser returns a list of them.
  const isOne = Array.isArray(parsed) && typeof parsed[0] === 'string';
  const calendars = (isOne ? [parsed] : parsed) as [string, unknown[], unknown[]][];
  const components = calendars.map((one) => new ical.Component(one));
  if (components.length === 0 || components.some(({ name }) => name !== 'vcalendar')) {
    throw refusal('is not an iCalendar file: it has no VCALENDAR');
  }
  return components.flatMap((one) => one.getAllSubcomponents('vevent')).map((event) => new ical.Event(event));
}

interface Occurrence {
  start: IcalTime;
  /** The first date after the event. */
  end: IcalTime;
  summary: string;
}

/** Refuses dates that do not exist: the library would read 2026-02-30 as 2 March. */
function checkDates(event: IcalEvent): void {
  const { component } = event;
  for (const name of ['dtstart', 'dtend', 'rdate', 'exdate', 'recurrence-id']) {
    const values = component.getAllProperties(name).flatMap((property) => property.jCal.slice(3) as unknown[]);
    const bad = values.find((value) => typeof value === 'string' && !isDate(value.slice(0, 10)));
    if (bad !== undefined) throw refusal(`event ${nameOf(event)} has ${show(bad)}, which is not a date`);
  }
}

function readOccurrences(event: IcalEvent, options: ReadIcsOptions): Occurrence[] {
  try {
    return occurrencesOf(event, options);
  } catch (error) {
    if (error instanceof InvalidOptionError) throw error;
    throw refusal(`event ${nameOf(event)} cannot be read (${(error as Error).message})`);
  }
}

function occurrencesOf(event: IcalEvent, { from, through }: ReadIcsOptions): Occurrence[] {
  const summary = event.summary ?? '';
  if (!event.isRecurring()) return [{ start: event.startDate, end: event.endDate, summary }];
  const found: Occurrence[] = [];
  const iterator = event.iterator();
  const rules = event.component.getAllProperties('rrule').map((property) => property.getFirstValue() as Rule);
  const added = datesOf(event, 'rdate');
  // The library leaves out the first date if an event recurs only by additional dates (RDATE).
  if (rules.length === 0 && !datesOf(event, 'exdate').has(dateOf(event.startDate))) {
    found.push({ start: event.startDate, end: event.endDate, summary });
  }
  for (let tried = 0; ; tried++) {
    const next = iterator.next();
    if (!next || dateOf(next) > through) return found;
    if (tried === OCCURRENCES_AT_MOST) throw refusal(`event ${show(summary)} recurs too often for a calendar`);
    if (!added.has(dateOf(next)) && !rules.some((rule) => isOf(rule, next, event.startDate))) continue;
    const { item, startDate: start, endDate: end } = event.getOccurrenceDetails(next);
    const isIn = dateOf(end) > from && dateOf(start) <= through;
    if (isIn && start.isDate && !isCancelled(item)) found.push({ start, end, summary: item.summary ?? summary });
  }
}

type Rule = InstanceType<Ical['Recur']>;

/** Whether a rule really contains this date. For a rule on 30 February, the library gives a day in March. */
function isOf({ freq, parts }: Rule, date: IcalTime, start: IcalTime): boolean {
  const { BYMONTH: months, BYMONTHDAY: days } = parts as { BYMONTH?: number[]; BYMONTHDAY?: number[] };
  if (freq === 'YEARLY' && Object.keys(parts).length === 0) return date.month === start.month && date.day === start.day;
  if (months && !months.includes(date.month)) return false;
  return !days || days.some((day) => day < 0) || days.includes(date.day);
}

function datesOf(event: IcalEvent, name: 'rdate' | 'exdate'): Set<string> {
  const properties = event.component.getAllProperties(name);
  return new Set(properties.flatMap((property) => property.getValues().map((value) => dateOf(value as IcalTime))));
}

function addDays(days: Map<string, string>, { start, end, summary }: Occurrence, ical: Ical): void {
  const label = summary.trim().slice(0, LABEL_AT_MOST);
  const day = start.clone();
  // An event without an end lasts one day.
  for (let count = 0; count === 0 || dateOf(day) < dateOf(end); count++) {
    if (count === DAYS_OF_AN_EVENT_AT_MOST) throw refusal(`event ${show(summary)} is longer than ten years`);
    const former = days.get(dateOf(day));
    if (!former) days.set(dateOf(day), label);
    else if (label !== '' && !former.split(', ').includes(label)) {
      days.set(dateOf(day), `${former}, ${label}`.slice(0, LABEL_AT_MOST));
    }
    day.addDuration(new ical.Duration({ days: 1 }));
  }
}

function isCancelled({ component }: IcalEvent): boolean {
  return String(component.getFirstPropertyValue('status') ?? '').toUpperCase() === 'CANCELLED';
}

function nameOf({ summary, uid }: IcalEvent): string {
  return show(summary ?? uid ?? '');
}

function dateOf(time: IcalTime): string {
  return time.toString().slice(0, 10);
}

function refusal(problem: string): InvalidOptionError {
  return new InvalidOptionError('ics', problem);
}
