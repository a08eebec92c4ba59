import { didYouMean } from '../../core/closest';
import { InvalidOptionError } from '../../core/errors';
import { LAST_YEAR } from '../../core/occurrences/civil';
import { isCalendarName } from '../../core/occurrences/days/day-names';
import { readDay } from '../../core/occurrences/days/read-days';
import { checkOptions } from '../../core/options';
import type { ScheduleSpec } from '../../core/schedule';
import {
  type CalendarRow,
  type CalendarUse,
  deleteCalendar,
  lockCalendar,
  readCalendarNames,
  readCalendars,
  readCalendarUses,
  readScheduleIdsNaming,
  writeCalendar,
} from '../../store/calendars/rows';
import { readNow } from '../../store/now';
import { transact } from '../../store/transaction';
import type { ClientContext } from '../context';
import { inTenant } from '../list/filters';
import {
  type CalendarDay,
  type CalendarOfOptions,
  calendarName,
  calendarOfOptions,
  type ListCalendarsOptions,
  listCalendarsOptions,
  type PutCalendarOptions,
  putCalendarOptions,
} from './calendar-options';
import { CalendarInUseError, CalendarNotFoundError } from './errors';
import { DayFiller } from './fill-days';
import { followCalendar } from './follow';
import { type ChangedSchedule, previewCalendar } from './preview';
import { readIcs } from './read-ics';

/** A named calendar of days. */
export interface Calendar {
  /** What specs name it by. */
  name: string;
  /** Whose it is; empty for none. */
  tenant: string;
  /** Its days, in order. */
  days: CalendarDay[];
  /** Who put it last. */
  actor: string;
  /** When it was put first. */
  createdAt: Date;
  /** When it was put last. */
  updatedAt: Date;
}

/** A calendar without its days, and who uses it. */
export interface CalendarSummary extends Omit<Calendar, 'days'> {
  /** How many days it has. */
  count: number;
  /** The first of them; undefined where it has none. */
  first: string | undefined;
  /** The last of them; undefined where it has none. */
  last: string | undefined;
  /** How many live schedules name it. */
  schedules: number;
  /** Of those, how many have not followed its last change: put it again. 0 but while it is put, and after that was interrupted. */
  behind: number;
}

/** What putting a calendar came to. */
export interface PutCalendarResult {
  /** Its name. */
  name: string;
  /** Whose it is; empty for none. */
  tenant: string;
  /** `created`, `changed`, or `unchanged`; of a dry run what it would be. */
  status: 'created' | 'changed' | 'unchanged';
  /** How many days it has now. */
  days: number;
  /** Days that it had not before. */
  added: string[];
  /** Days that it has no more. */
  removed: string[];
  /** How many live schedules follow the change; of a dry run how many would. */
  schedules: number;
  /** Schedules that go on by its former days, since their definitions cannot be evaluated with the new ones. */
  failed: { scheduleId: string; problem: string }[];
  /** Of a dry run the schedules whose occurrences to come would change, by ID. */
  changes?: ChangedSchedule[];
}

const LISTED_AT_MOST = 10_000;
const NAMED_AT_MOST = 100;
const YEARS_BACK = 5;
const YEARS_AHEAD = 10;

/**
 * Named calendars of days, such as holidays, which specs skip (`skipDays`) or keep to (`onlyDays`).
 *
 * @see `docs/calendars.md`
 */
export class Calendars {
  constructor(private readonly context: ClientContext) {}

  /**
   * Make a calendar, or give it other days. Schedules that name it follow: what was due by then is answered by the former days, what comes
   * due from now on by the new ones. What was handed to Temporal ahead begins all the same. It may be called again at any
   * time, and finishes what an interrupted call has left.
   *
   * @throws {InvalidOptionError} for days or an iCalendar file that cannot be; nothing was written
   */
  async put(name: string, options: PutCalendarOptions): Promise<PutCalendarResult> {
    checkOptions(calendarName, { name });
    checkOptions(putCalendarOptions, options);
    await this.context.ready();
    const { store, identity: actor } = this.context;
    const now = await this.#now();
    const labels = await daysOf(options, now);
    const days = [...labels.keys()].sort().join(' ');
    const key = { tenant: this.#tenantOf(options), name };
    const former = await this.#read(key);
    const result = { ...key, ...compared(former?.days, days), schedules: 0, failed: [] };
    if (options.dryRun) {
      const changes = await previewCalendar(this.context, key, { days, now });
      return { ...result, schedules: changes.length, changes: changes.filter(({ fewer, more }) => fewer + more > 0) };
    }
    const isWritten = result.status !== 'unchanged' || !sameLabels(former, labels);
    if (isWritten) {
      const named = Object.fromEntries([...labels].filter(([, label]) => label !== ''));
      await transact(store, (transaction) =>
        writeCalendar(transaction, { ...key, days, labels: named }, { actor, now }),
      );
    }
    return { ...result, ...(await followCalendar(this.context, key, { days, progress: options.progress })) };
  }

  /** A calendar with its days. @throws {CalendarNotFoundError} */
  async get(name: string, options: CalendarOfOptions = {}): Promise<Calendar> {
    checkOptions(calendarOfOptions, options);
    await this.context.ready();
    const key = await this.#keyOf(name, options);
    const row = await this.#read(key);
    if (!row) throw await this.#notFound(key);
    const { days, labels, ...rest } = row;
    return { ...rest, days: split(days).map((day) => (labels[day] ? { day, label: labels[day] } : { day })) };
  }

  /** The calendars by name, without their days. */
  async list(options: ListCalendarsOptions = {}): Promise<CalendarSummary[]> {
    checkOptions(listCalendarsOptions, options);
    await this.context.ready();
    const { tenant } = inTenant(this.context, options);
    return (await readCalendarUses(this.context.store, { tenant }, LISTED_AT_MOST)).map(summaryOf);
  }

  /**
   * Delete a calendar that no live schedule names.
   *
   * @throws {CalendarNotFoundError}
   * @throws {CalendarInUseError} with the schedules that name it; nothing was written
   */
  async delete(name: string, options: CalendarOfOptions = {}): Promise<void> {
    checkOptions(calendarOfOptions, options);
    await this.context.ready();
    const key = await this.#keyOf(name, options);
    await transact(this.context.store, async (transaction) => {
      if (!(await lockCalendar(transaction, key))) throw await this.#notFound(key);
      const ids = await readScheduleIdsNaming(transaction, key, { behind: '', size: NAMED_AT_MOST });
      const [use] = ids.length === NAMED_AT_MOST ? await readCalendarUses(transaction, key, 1) : [];
      if (ids.length > 0) throw new CalendarInUseError(name, ids, use?.schedules ?? ids.length);
      await deleteCalendar(transaction, key);
    });
  }

  /**
   * A spec with the days of the calendars that it names, as `describe` returns it: for pure functions such as `nextOccurrences`.
   *
   * @throws {InvalidScheduleError} for a calendar that there is not
   */
  async fill<Spec extends ScheduleSpec>(spec: Spec, options: CalendarOfOptions = {}): Promise<Spec> {
    checkOptions(calendarOfOptions, options);
    const { spec: filled } = await new DayFiller(this.context).fill({ spec, tenant: this.#tenantOf(options) });
    return filled;
  }

  /** What is no name of a calendar is the name of none, and may hold what Postgres cannot be asked for. */
  async #keyOf(name: string, options: CalendarOfOptions): Promise<{ tenant: string; name: string }> {
    const key = { tenant: this.#tenantOf(options), name };
    if (!isCalendarName(name)) throw await this.#notFound(key);
    return key;
  }

  async #read(key: { tenant: string; name: string }): Promise<CalendarRow | undefined> {
    return (await readCalendars(this.context.store, [key]))[0];
  }

  async #notFound({ tenant, name }: { tenant: string; name: string }): Promise<CalendarNotFoundError> {
    const hint = didYouMean(name, await readCalendarNames(this.context.store, tenant));
    return new CalendarNotFoundError(name, `${tenant === '' ? '' : ` of tenant '${tenant}'`}${hint}`);
  }

  /** @throws {InvalidOptionError} where a client of one tenant names another */
  #tenantOf(options: { tenant?: string | undefined }): string {
    const given = options.tenant === undefined ? {} : { tenant: options.tenant };
    return inTenant(this.context, given).tenant ?? '';
  }

  async #now(): Promise<Date> {
    return this.context.now?.() ?? readNow(this.context.store);
  }
}

/** The days that are given, by date, with what they are called. @throws {InvalidOptionError} */
async function daysOf(options: PutCalendarOptions, now: Date): Promise<Map<string, string>> {
  const { days, ics, from, through, ignoreTimed } = options;
  if ((days === undefined) === (ics === undefined)) {
    throw new InvalidOptionError('days', "are given by 'days' or by 'ics': one of them");
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
  for (const day of days.keys()) readDay(day, path);
  return days;
}

function compared(
  former: string | undefined,
  days: string,
): Pick<PutCalendarResult, 'status' | 'days' | 'added' | 'removed'> {
  const [before, after] = [new Set(split(former ?? '')), new Set(split(days))];
  const status = former === undefined ? 'created' : former === days ? 'unchanged' : 'changed';
  return {
    status,
    days: after.size,
    added: [...after].filter((day) => !before.has(day)),
    removed: [...before].filter((day) => !after.has(day)),
  };
}

function sameLabels(former: CalendarRow | undefined, labels: Map<string, string>): boolean {
  return former !== undefined && [...labels].every(([day, label]) => (former.labels[day] ?? '') === label);
}

function summaryOf({ days, labels: _, ...row }: CalendarUse): CalendarSummary {
  const all = split(days);
  return { ...row, count: all.length, first: all[0], last: all.at(-1) };
}

function split(days: string): string[] {
  return days.split(' ').filter((day) => day !== '');
}
