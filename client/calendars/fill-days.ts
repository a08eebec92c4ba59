import { didYouMean } from '../../core/closest';
import { InvalidScheduleError } from '../../core/errors';
import { withinSteps } from '../../core/occurrences';
import { isCalendarName, namesDays } from '../../core/occurrences/days/day-names';
import { calendarsIn, type NamedCalendar } from '../../core/occurrences/days/read-days';
import type { ScheduleSpec } from '../../core/schedule/spec';
import { type CalendarRow, holdCalendars, readCalendarNames, readCalendars } from '../../store/calendars/rows';
import type { Store } from '../../store/connection';
import type { ClientContext } from '../context';
import { ScheduleConflictError } from '../errors';

interface Given {
  spec: ScheduleSpec;
  tenant?: string | undefined;
}

/** Fills the days of calendars into definitions, and reads each calendar only once. */
export class DayFiller {
  readonly #calendars = new Map<string, Promise<CalendarRow | undefined>>();

  constructor(private readonly context: Pick<ClientContext, 'store' | 'ready'>) {}

  /**
   * A definition with the current days of the calendars that it names. Errors of the definition other than a missing
   * calendar are left to its validation.
   *
   * @param tenant whose calendars are used
   * @throws {InvalidScheduleError} if the tenant has no calendar of this name
   */
  async fill<Options extends Given>(given: Options, tenant = tenantOf(given)): Promise<Options> {
    const spec = given?.spec;
    if (typeof spec !== 'object' || spec === null || !(namesDays(spec) || spec.calendarDays !== undefined))
      return given;
    const { calendarDays: _, ...rest } = spec;
    const named = calendarsOf(spec);
    if (named.length === 0) return { ...given, spec: rest };
    await this.context.ready();
    const days: [string, string][] = [];
    for (const { name, path } of named) days.push([name, (await this.#calendar(tenant, name, path)).days]);
    // Sort the names, so that two definitions with the same calendars have the same text.
    const calendarDays = Object.fromEntries(days.sort(([one], [other]) => (one < other ? -1 : 1)));
    return { ...given, spec: { ...rest, calendarDays } };
  }

  async #calendar(tenant: string, name: string, path: string): Promise<CalendarRow> {
    const key = JSON.stringify([tenant, name]);
    let reading = this.#calendars.get(key);
    if (!reading) {
      reading = readCalendars(this.context.store, [{ tenant, name }]).then(([row]) => row);
      this.#calendars.set(key, reading);
    }
    const calendar = await reading;
    if (calendar) return calendar;
    const hint = didYouMean(name, await readCalendarNames(this.context.store, tenant));
    throw new InvalidScheduleError(
      path,
      `there is no calendar '${name}'${tenant === '' ? '' : ` of tenant '${tenant}'`}${hint}; ` +
        "put it first, with 'escapement calendar put' or client.calendars.put",
    );
  }
}

/** A calendar changed between the read of its days and the write of the schedule. Nothing was written. */
export class CalendarsChangedError extends Error {
  override readonly name = 'CalendarsChangedError';
}

const ATTEMPTS = 5;

/**
 * Repeat the work while it throws {@link CalendarsChangedError}, up to five times in all.
 *
 * @throws {ScheduleConflictError} when the calendars changed during each attempt
 */
export async function again<Result>(scheduleId: string, work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof CalendarsChangedError)) throw error;
      if (attempt < ATTEMPTS) continue;
      const problem = `was not created: others changed its calendars during all of the ${ATTEMPTS} attempts; try again`;
      throw new ScheduleConflictError(scheduleId, 0, 0, problem);
    }
  }
}

/**
 * A definition without the calendars that its spec names, since only the ledger knows their days. In this form the
 * definition can be checked without the ledger.
 */
export function withoutCalendars<Options extends Given>(given: Options): Options {
  const spec = given?.spec;
  if (typeof spec !== 'object' || spec === null || calendarsOf(spec).length === 0) return given;
  const { calendarDays: _, onlyDays, skipDays, ...rest } = spec;
  const dates = (entries: string[] | undefined) => [entries ?? []].flat().filter((entry) => !isCalendarName(entry));
  const kept = {
    ...(skipDays && { skipDays: dates(skipDays) }),
    // If the days of a calendar are unknown, it is unknown what `onlyDays` allows, so `onlyDays` is left out.
    ...(onlyDays && ![onlyDays].flat().some(isCalendarName) && { onlyDays }),
  };
  return { ...given, spec: { ...rest, ...kept } };
}

/**
 * Whether the calendars that these definitions name still have the days that were filled in. The caller must call this
 * in the transaction that writes the definitions. Until that transaction ends the calendars cannot change, and a later
 * change of a calendar finds the schedules.
 */
export async function areDaysInForce(transaction: Store, written: Given[]): Promise<boolean> {
  const days = new Map<string, { tenant: string; name: string; days: string }>();
  for (const { spec, tenant = '' } of written) {
    for (const [name, text] of Object.entries(spec.calendarDays ?? {})) {
      days.set(JSON.stringify([tenant, name, text]), { tenant, name, days: text });
    }
  }
  const held = await holdCalendars(transaction, [...days.values()]);
  const known = new Set(held.map((row) => JSON.stringify([row.tenant, row.name, row.days])));
  return [...days.keys()].every((key) => known.has(key));
}

function tenantOf(given: Given | undefined): string {
  return typeof given?.tenant === 'string' ? given.tenant : '';
}

/**
 * The calendars that a spec names; none for a spec that cannot be read, since its validation reports the error better.
 */
export function calendarsOf(spec: ScheduleSpec | undefined): NamedCalendar[] {
  if (typeof spec !== 'object' || spec === null || !namesDays(spec)) return [];
  try {
    return withinSteps('spec', () => calendarsIn(spec));
  } catch (error) {
    if (error instanceof InvalidScheduleError) return [];
    throw error;
  }
}
