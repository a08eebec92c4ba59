import { didYouMean } from '../core/closest';
import { FIRING_KINDS, FIRING_OUTCOMES, FIRING_STATES } from '../core/firing';
import type { FiringFilter } from '../store/firing-filter';
import type { FiringOrder } from '../store/list-firings';
import type { ScheduleOrder } from '../store/list-schedules';
import type { ScheduleFilter } from '../store/schedule-filter';
import type { ClientContext } from './context';
import { sourceIn } from './tenant';

const SCHEDULE_ORDERS: readonly ScheduleOrder[] = ['scheduleId', 'nextFireAt'];
const FIRING_ORDERS: readonly FiringOrder[] = ['newest', 'oldest'];

/** A misspelt filter would list everything: nothing is listed by one. @throws {RangeError} */
export function checkScheduleFilter(filter: ScheduleFilter, order: ScheduleOrder): void {
  checkOneOf('orderBy', order, SCHEDULE_ORDERS);
  checkTimes(filter);
}

/** @throws {RangeError} as {@link checkScheduleFilter} */
export function checkFiringFilter(filter: FiringFilter, order: FiringOrder): void {
  checkOneOf('order', order, FIRING_ORDERS);
  checkOneOf('state', filter.state, FIRING_STATES);
  checkOneOf('outcome', filter.outcome, FIRING_OUTCOMES);
  checkOneOf('kind', filter.kind, FIRING_KINDS);
  checkTimes(filter);
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
