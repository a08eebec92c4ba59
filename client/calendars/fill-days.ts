import { didYouMean } from '../../core/closest';
import { InvalidScheduleError } from '../../core/errors';
import { withinSteps } from '../../core/occurrences';
import { isCalendarName, namesDays } from '../../core/occurrences/days/day-names';
import { calendarsIn, type NamedCalendar } from '../../core/occurrences/days/read-days';
import type { ScheduleSpec } from '../../core/schedule';
import { type CalendarRow, holdCalendars, readCalendarNames, readCalendars } from '../../store/calendars/rows';
import type { Store } from '../../store/connection';
import type { ClientContext } from '../context';

/** A definition as it is given, or as it is stored, and whose. */
interface Given {
  spec: ScheduleSpec;
  tenant?: string | undefined;
}

/** Fills the days of calendars into definitions; reads each calendar once. */
export class DayFiller {
  readonly #calendars = new Map<string, Promise<CalendarRow | undefined>>();

  constructor(private readonly context: Pick<ClientContext, 'store' | 'ready'>) {}

  /**
   * A definition with the days of the calendars that it names, as they are now. What is wrong otherwise is left to the check of it.
   *
   * @param tenant whose calendars they are
   * @throws {InvalidScheduleError} for a name that the tenant has no calendar of
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
    // In one order: two definitions of the same calendars are then the same text.
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

/** A calendar was changed between the read that filled it in and the write. Nothing was written. */
export class CalendarsChangedError extends Error {
  override readonly name = 'CalendarsChangedError';
  constructor() {
    super('a calendar of days was changed meanwhile; try again');
  }
}

const ATTEMPTS = 5;

/** Fill and write again where a calendar was changed in between. */
export async function again<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof CalendarsChangedError) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** A spec for a check without the ledger: without the calendars that only the ledger knows. */
export function withoutCalendars<Options extends Given>(given: Options): Options {
  const spec = given?.spec;
  if (typeof spec !== 'object' || spec === null || calendarsOf(spec).length === 0) return given;
  const { calendarDays: _, onlyDays, skipDays, ...rest } = spec;
  const dates = (entries: string[] | undefined) => [entries ?? []].flat().filter((entry) => !isCalendarName(entry));
  const kept = {
    ...(skipDays && { skipDays: dates(skipDays) }),
    // Of what a calendar allows nothing is known.
    ...(onlyDays && ![onlyDays].flat().some(isCalendarName) && { onlyDays }),
  };
  return { ...given, spec: { ...rest, ...kept } };
}

/**
 * In the transaction that writes definitions: whether the calendars that they name are as they were filled in. They stay so until it
 * ends, and whoever changes one afterwards finds the schedules.
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

/** Those that a spec names; none of one that cannot be read, which its check says better. */
export function calendarsOf(spec: ScheduleSpec | undefined): NamedCalendar[] {
  if (typeof spec !== 'object' || spec === null || !namesDays(spec)) return [];
  try {
    return withinSteps('spec', () => calendarsIn(spec));
  } catch (error) {
    if (error instanceof InvalidScheduleError) return [];
    throw error;
  }
}
