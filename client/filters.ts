import { didYouMean } from '../core/closest';
import { FIRING_KINDS, FIRING_OUTCOMES, FIRING_STATES } from '../core/firing';
import { LETTER_KINDS, LETTER_STATES } from '../core/redrive';
import type { FiringFilter } from '../store/firing-filter';
import type { FiringOrder } from '../store/list-firings';
import type { ScheduleOrder } from '../store/list-schedules';
import type { LetterFilter } from '../store/read-letters';
import type { ScheduleFilter } from '../store/schedule-filter';
import type { ClientContext } from './context';
import { sourceIn } from './tenant';

/** Each of them, which the compiler sees to. */
const SCHEDULE_FILTER: Record<keyof ScheduleFilter, true> = {
  ...{ tenant: true, source: true, namespace: true, taskQueue: true, workflowType: true },
  ...{ paused: true, completed: true, from: true, to: true, text: true },
};
const FIRING_FILTER: Record<keyof FiringFilter, true> = {
  ...{ scheduleId: true, from: true, to: true, state: true, outcome: true, kind: true },
  ...{ namespace: true, tenant: true, source: true, taskQueue: true, workflowType: true, text: true },
};
const LETTER_FILTER: Record<keyof LetterFilter, true> = {
  ...{ state: true, kind: true, scheduleId: true, tenant: true, from: true, to: true },
};
const SCHEDULE_ORDERS: readonly ScheduleOrder[] = ['scheduleId', 'nextFireAt'];
const FIRING_ORDERS: readonly FiringOrder[] = ['newest', 'oldest'];

/** A misspelt filter would list everything: nothing is listed by one. @throws {RangeError} */
export function checkScheduleFilter(filter: ScheduleFilter, order: ScheduleOrder): void {
  checkNames(filter, SCHEDULE_FILTER);
  checkOneOf('orderBy', order, SCHEDULE_ORDERS);
  checkBoolean('paused', filter.paused);
  checkBoolean('completed', filter.completed);
  checkTimes(filter);
}

/** @throws {RangeError} as {@link checkScheduleFilter} */
export function checkFiringFilter(filter: FiringFilter, order: FiringOrder): void {
  checkNames(filter, FIRING_FILTER);
  checkOneOf('order', order, FIRING_ORDERS);
  checkOneOf('state', filter.state, FIRING_STATES);
  checkOneOf('outcome', filter.outcome, FIRING_OUTCOMES);
  checkOneOf('kind', filter.kind, FIRING_KINDS);
  checkTimes(filter);
}

/** @throws {RangeError} as {@link checkScheduleFilter} */
export function checkLetterFilter(filter: LetterFilter): void {
  checkNames(filter, LETTER_FILTER);
  checkOneOf('state', filter.state, LETTER_STATES);
  checkOneOf('kind', filter.kind, LETTER_KINDS);
  checkTimes(filter);
}

/** @throws {RangeError} as {@link checkScheduleFilter} */
export function checkStatsFilter(filter: { tenant?: string | undefined }): void {
  checkNames(filter, { tenant: true });
}

/**
 * A filter as a client of one tenant may use it. A source that it names is its own.
 *
 * @throws {RangeError} where it asks for another tenant
 */
export function inTenant<Filter extends { tenant?: string | undefined; source?: string | undefined }>(
  context: Pick<ClientContext, 'tenant'>,
  filter: Filter,
): Filter {
  const { tenant } = context;
  if (tenant === undefined) return filter;
  if (filter.tenant !== undefined && filter.tenant !== tenant) {
    throw new RangeError(`tenant '${filter.tenant}' is not this client's, which sees '${tenant}' alone`);
  }
  const { source } = filter;
  return { ...filter, tenant, ...(source === undefined ? {} : { source: sourceIn(context, source) }) };
}

function checkNames(filter: object, known: Record<string, true>): void {
  const names = Object.keys(known);
  for (const name of Object.keys(filter)) {
    if (names.includes(name)) continue;
    throw new RangeError(`there is no filter '${name}'; there are ${names.join(', ')}${didYouMean(name, names)}`);
  }
}

function checkBoolean(name: string, given: unknown): void {
  if (given === undefined || typeof given === 'boolean') return;
  throw new RangeError(`${name} is neither true nor false`);
}

function checkOneOf(name: string, given: string | string[] | undefined, allowed: readonly string[]): void {
  if (given === undefined) return;
  for (const value of [given].flat()) {
    if (allowed.includes(value)) continue;
    throw new RangeError(`${name} '${value}' is none of ${allowed.join(', ')}${didYouMean(String(value), allowed)}`);
  }
}

function checkTimes(filter: { from?: Date | undefined; to?: Date | undefined }): void {
  for (const name of ['from', 'to'] as const) {
    const time: unknown = filter[name];
    if (time === undefined || (time instanceof Date && !Number.isNaN(time.getTime()))) continue;
    throw new RangeError(`${name} is not a Date`);
  }
}
