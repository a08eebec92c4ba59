import { z } from 'zod';
import { scheduleId } from '../../core/definition/shape';
import { InvalidOptionError } from '../../core/errors';
import { flag, narrowing } from '../../core/option-fields';
import { checkOptions, type FieldsOf } from '../../core/options';
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

const MOST_IDS = 10_000;

const ofLists = z.custom<undefined>(() => false, 'is for lists: a bulk change affects all that match').optional();

/** `checkedFilter` validates the other filters. */
const bulkChoice = z.looseObject({
  scheduleIds: z.array(scheduleId).min(1).max(MOST_IDS).optional(),
  all: flag.optional(),
  query: narrowing.optional(),
  text: narrowing.optional(),
  ...{ orderBy: ofLists, pageSize: ofLists, cursor: ofLists },
} satisfies FieldsOf<Pick<BulkFilter, 'scheduleIds' | 'all' | 'query' | 'text'>>);

/**
 * @throws {InvalidOptionError} for a filter that is not allowed, or that says nothing and so would match every schedule
 * @throws {InvalidQueryError} for a `query` that is not allowed
 */
export async function choose(context: ClientContext, filter: BulkFilter): Promise<BulkChoice> {
  checkOptions(bulkChoice, filter, 'filter');
  const { scheduleIds, all = false, ...options } = filter;
  const says = [scheduleIds, ...Object.values(options)].some((value) => value !== undefined);
  if (says === all) {
    const problem = says
      ? 'selects everything; leave it out beside a filter'
      : 'is missing: give a filter, or all: true for everything';
    throw new InvalidOptionError('filter.all', problem);
  }
  await context.ready();
  return { filter: await checkedFilter(context, options), scheduleIds };
}
