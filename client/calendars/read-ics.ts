import { InvalidOptionError } from '../../core/errors';
import { storableText } from '../../core/storable';
import { isChange, type Occurrence, occurrencesOf, type Range } from './event-days';
import { dateOf, dayOf, type Ical, type IcalEvent, isCancelled, nameOf, refusal } from './ics-event';

export interface ReadIcsOptions {
  /** Recurring events count from this date on. */
  from: string;
  /** Recurring events count up to and including this date. */
  through: string;
  /** Leave out events that begin at a time of day. */
  ignoreTimed: boolean;
}

/** How many days the rules of a file may test, and its occurrences may have. That many take a second or two. */
const DAYS_READ_AT_MOST = 2_000_000;
const LABEL_AT_MOST = 200;

/**
 * The days of an iCalendar file, as a map from date to label. All days of each whole-day event count. Days of recurring
 * events count between the given dates, without their exceptions. Cancelled events do not count.
 *
 * @throws {InvalidOptionError} naming `ics`, if the text is no iCalendar file with readable whole-day events
 */
export async function readIcs(text: string, options: ReadIcsOptions): Promise<Map<string, string>> {
  // `ical.js` is an ES module, so it is loaded with `import()`.
  const { default: ical } = await import('ical.js');
  const events = eventsOf(ical, text);
  const changes = changesOf(events);
  const cancelled = new Set(events.filter((event) => !isChange(event) && isCancelled(event)).map(({ uid }) => uid));
  const range = rangeOf(options);
  const days = new Map<string, string>();
  let isEmpty = true;
  for (const event of events) {
    // A change of all later whole days is refused, even one that cancels them, unless the series is cancelled.
    const isOut = isCancelled(event) && !event.modifiesFuture();
    if (isOut || (isChange(event) && cancelled.has(event.uid))) continue;
    const occurrences = readOccurrences(event, changes.get(event.uid) ?? [], range);
    if (occurrences) {
      isEmpty = false;
      range.spend(
        event,
        occurrences.reduce((sum, [first, last]) => sum + last - first + 1, 0),
      );
      addDays(days, occurrences, event.summary ?? '');
    } else if (!options.ignoreTimed) {
      throw refusal(
        `event ${nameOf(event)} begins at a time of day, and days are whole-day events alone; ` +
          'leave such events out with ignoreTimed (--ignore-timed)',
      );
    }
  }
  if (isEmpty) throw refusal('has no whole-day event');
  return days;
}

function eventsOf(ical: Ical, text: string): IcalEvent[] {
  let parsed: unknown;
  try {
    parsed = ical.parse(text.replace(/^\uFEFF/, ''));
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
  const found = components.flatMap((one) => one.getAllSubcomponents('vevent'));
  // With an empty list of exceptions, the library does not collect the changes of all events into each event.
  return found.map((event) => new ical.Event(event, { exceptions: [] }));
}

/** The events that change an occurrence of another event, grouped by the UID that both have. */
function changesOf(events: IcalEvent[]): Map<string, IcalEvent[]> {
  const changes = new Map<string, IcalEvent[]>();
  for (const event of events.filter(isChange)) {
    const known = changes.get(event.uid);
    if (known) known.push(event);
    else changes.set(event.uid, [event]);
  }
  return changes;
}

function rangeOf({ from, through }: ReadIcsOptions): Range {
  let left = DAYS_READ_AT_MOST;
  const spend = (event: IcalEvent, days: number) => {
    left -= days;
    if (left < 0) throw refusal(`event ${nameOf(event)} recurs too often, or lasts too long, for a calendar`);
  };
  return { from: dayOf(from), through: dayOf(through), spend };
}

function readOccurrences(event: IcalEvent, changes: IcalEvent[], range: Range): Occurrence[] | undefined {
  try {
    return occurrencesOf(event, changes, range);
  } catch (error) {
    if (error instanceof InvalidOptionError) throw error;
    throw refusal(`event ${nameOf(event)} cannot be read (${(error as Error).message})`);
  }
}

function addDays(days: Map<string, string>, occurrences: Occurrence[], summary: string): void {
  const label = cut(summary.trim());
  for (const [first, last] of occurrences) {
    for (let day = first; day <= last; day++) {
      const date = dateOf(day);
      const former = days.get(date);
      if (!former) days.set(date, label);
      else if (label !== '' && !former.split(', ').includes(label)) {
        days.set(date, cut(`${former}, ${label}`));
      }
    }
  }
}

/** A cut may leave one half of a surrogate pair, which cannot be stored. */
function cut(label: string): string {
  return storableText(label.slice(0, LABEL_AT_MOST));
}
