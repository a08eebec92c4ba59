import { InvalidOptionError } from '../../core/errors';
import type { BulkChoice } from '../../store/bulk/choice';
import type { ClientContext } from '../context';
import { checkedFilter } from '../list/list';
import type { ListSchedulesOptions } from '../list/list-options';

/** Which schedules a bulk change affects: those that match every given filter. */
export interface BulkFilter extends Omit<ListSchedulesOptions, 'orderBy' | 'pageSize'> {
  /** Only these schedules, at most 10,000. @default any */
  scheduleIds?: string[] | undefined;
  /** Every schedule that the caller can see. Only allowed without another filter. @default false */
  all?: boolean | undefined;
}

/**
 * @throws {InvalidOptionError} for a filter that is not allowed, or that is empty and so would match every schedule
 * @throws {InvalidQueryError} for a `query` that is not allowed
 */
export async function choose(context: ClientContext, filter: BulkFilter): Promise<BulkChoice> {
  const { scheduleIds, all = false, ...options } = filter;
  const says = scheduleIds !== undefined || Object.entries(options).some(narrows);
  if (says === all) {
    const problem = says
      ? 'selects everything; leave it out beside a filter'
      : 'is missing: give a filter, or all: true for everything';
    throw new InvalidOptionError('filter.all', problem);
  }
  await context.ready();
  return { filter: await checkedFilter(context, options), scheduleIds };
}

/** Whether a field selects anything: an empty query or text, such as that of an unset shell variable, does not. */
function narrows([name, value]: [string, unknown]): boolean {
  const isText = name === 'query' || name === 'text';
  return value !== undefined && !(isText && typeof value === 'string' && value.trim() === '');
}
