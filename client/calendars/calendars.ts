import { didYouMean } from '../../core/closest';
import { isCalendarName } from '../../core/occurrences/days/day-names';
import { checkOptions } from '../../core/options';
import type { ScheduleSpec } from '../../core/schedule/spec';
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
import { transact } from '../../store/transaction';
import type { ClientContext } from '../context';
import { inTenant } from '../list/filters';
import { ledgerNow } from '../update/change';
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
import { daysOf } from './given-days';
import { type ChangedSchedule, previewCalendar } from './preview';

/** A named calendar of days. */
export interface Calendar {
  /** Name under which specs refer to the calendar. */
  name: string;
  /** Tenant of the calendar; empty for none. */
  tenant: string;
  /** The calendar's days, in order. */
  days: CalendarDay[];
  /** Who wrote the calendar last. */
  actor: string;
  /** When the calendar was first written. */
  createdAt: Date;
  /** When the calendar was last written. */
  updatedAt: Date;
}

/** A calendar without its days, with the number of schedules that use it. */
export interface CalendarSummary extends Omit<Calendar, 'days'> {
  /** Number of days. */
  count: number;
  /** The first day; undefined for a calendar without days. */
  first: string | undefined;
  /** The last day; undefined for a calendar without days. */
  last: string | undefined;
  /** How many live schedules name the calendar. */
  schedules: number;
  /**
   * How many of these schedules still use former days: a `put` is running, was interrupted, or could not change them.
   * Call `put` again to finish.
   */
  behind: number;
}

/** Result of `put`. */
export interface PutCalendarResult {
  /** The name of the calendar. */
  name: string;
  /** Tenant of the calendar; empty for none. */
  tenant: string;
  /**
   * Whether the calendar was `created`, its days have `changed`, or they are `unchanged`, perhaps with other labels.
   * For a dry run, what the call would have done.
   */
  status: 'created' | 'changed' | 'unchanged';
  /** Number of days of the given calendar. */
  days: number;
  /** Days that were added. */
  added: string[];
  /** Days that were removed. */
  removed: string[];
  /** How many live schedules took over the new days; for a dry run, how many name the calendar. */
  schedules: number;
  /** Schedules that keep the former days: they cannot be evaluated with the new ones, or cannot be written now. */
  failed: { scheduleId: string; problem: string }[];
  /** For a dry run: the schedules whose occurrences of the next two years would change. */
  changes?: ChangedSchedule[];
}

const LISTED_AT_MOST = 10_000;
const NAMED_AT_MOST = 100;

/**
 * Named calendars of days, such as holidays. Specs skip these days (`skipDays`) or fire only on them (`onlyDays`).
 *
 * @see `docs/calendars.md`
 */
export class Calendars {
  constructor(private readonly context: ClientContext) {}

  /**
   * Create a calendar, or replace its days. Then each live schedule that names the calendar takes over the new days,
   * unless it cannot be evaluated with them, cannot be written or stays locked. Occurrences that were due before a
   * schedule took over the new days follow the former days. Firings that were claimed ahead still start.
   * To finish an interrupted call, repeat it.
   *
   * @throws {InvalidOptionError} for a name, an option or an iCalendar file that is not allowed; nothing was written
   */
  async put(name: string, options: PutCalendarOptions): Promise<PutCalendarResult> {
    checkOptions(calendarName, { name });
    checkOptions(putCalendarOptions, options);
    await this.context.ready();
    const { store, identity: actor } = this.context;
    const now = await ledgerNow(this.context);
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

  /** A calendar with its days. @throws {CalendarNotFoundError | InvalidOptionError} */
  async get(name: string, options: CalendarOfOptions = {}): Promise<Calendar> {
    checkOptions(calendarOfOptions, options);
    await this.context.ready();
    const key = await this.#keyOf(name, options);
    const row = await this.#read(key);
    if (!row) throw await this.#notFound(key);
    const { days, labels, ...rest } = row;
    return { ...rest, days: split(days).map((day) => (labels[day] ? { day, label: labels[day] } : { day })) };
  }

  /** Calendars without their days, ordered by name: the first 10,000. @throws {InvalidOptionError} */
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
   * @throws {InvalidOptionError} for a tenant that is not allowed
   * @throws {CalendarInUseError} with the number of schedules that name it, and the IDs of the first 100; nothing was
   * written
   */
  async delete(name: string, options: CalendarOfOptions = {}): Promise<void> {
    checkOptions(calendarOfOptions, options);
    await this.context.ready();
    const key = await this.#keyOf(name, options);
    const isFound = await transact(this.context.store, async (transaction) => {
      if (!(await lockCalendar(transaction, key))) return false;
      const ids = await readScheduleIdsNaming(transaction, key, { behind: '', size: NAMED_AT_MOST });
      const [use] = ids.length === NAMED_AT_MOST ? await readCalendarUses(transaction, key, 1) : [];
      if (ids.length > 0) throw new CalendarInUseError(name, ids, use?.schedules ?? ids.length);
      await deleteCalendar(transaction, key);
      return true;
    });
    // The names to suggest are read after the transaction, which holds a connection.
    if (!isFound) throw await this.#notFound(key);
  }

  /**
   * A spec with the days of its calendars filled in. Pure functions such as `nextOccurrences` need a spec in this form.
   *
   * @throws {InvalidScheduleError} if a calendar does not exist
   * @throws {InvalidOptionError} for a tenant that is not allowed
   */
  async fill<Spec extends ScheduleSpec>(spec: Spec, options: CalendarOfOptions = {}): Promise<Spec> {
    checkOptions(calendarOfOptions, options);
    const { spec: filled } = await new DayFiller(this.context).fill({ spec, tenant: this.#tenantOf(options) });
    return filled;
  }

  /**
   * An invalid name is not sent to Postgres, which refuses some characters. No calendar can have such a name. @throws
   * {CalendarNotFoundError}
   */
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

  /** @throws {InvalidOptionError} if a client of one tenant names another tenant */
  #tenantOf(options: { tenant?: string | undefined }): string {
    const given = options.tenant === undefined ? {} : { tenant: options.tenant };
    return inTenant(this.context, given).tenant ?? '';
  }
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
