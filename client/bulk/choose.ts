import { InvalidOptionError } from '../../core/errors';
import type { BulkChoice } from '../../store/bulk/operations';
import type { ClientContext } from '../context';
import { checkedFilter } from '../list/list';
import type { ListSchedulesOptions } from '../list/list-options';

/** Which schedules a change of many is about: those that match all that is given. */
export interface BulkFilter extends Omit<ListSchedulesOptions, 'orderBy' | 'pageSize'> {
  /** These alone. @default any */
  scheduleIds?: string[] | undefined;
  /** Everything that the caller sees, where nothing else is said. @default false */
  all?: boolean | undefined;
}

/**
 * @throws {InvalidOptionError} for a filter that cannot be, and for one that says nothing: a misspelt one would be about everything
 * @throws {InvalidQueryError} for a list filter that cannot be
 */
export async function choose(context: ClientContext, filter: BulkFilter): Promise<BulkChoice> {
  const { scheduleIds, all = false, ...options } = filter;
  const says = scheduleIds !== undefined || Object.values(options).some((value) => value !== undefined);
  if (says === all) {
    const problem = says
      ? 'is for everything; leave it out'
      : 'is not said: give a filter, or all: true for everything';
    throw new InvalidOptionError('filter.all', problem);
  }
  await context.ready();
  return { filter: await checkedFilter(context, options), scheduleIds };
}
