import { didYouMean } from '../../core/closest';
import { InvalidQueryError } from '../../core/list-query/error';
import { COLUMNS } from '../../core/list-query/fields';
import { mapColumn, type ResolvedQuery, resolveQuery } from '../../core/list-query/resolve';
import { checkOptions } from '../../core/options';
import {
  readSchedulesPage,
  type ScheduleCursor,
  type ScheduleOrder,
  unknownAttributes,
} from '../../store/reads/list-schedules';
import type { CheckedScheduleFilter } from '../../store/reads/schedule-filter';
import type { ClientContext } from '../context';
import { summarizePage } from '../describe/describe-live';
import type { ScheduleSummary } from '../describe/schedule-description';
import { sourceIn } from '../tenant';
import { cut, readCursor, readInstant, readText, sizeOf, writeCursor } from './cursor';
import { inTenant, scheduleFilter } from './filters';
import type { ListSchedulesOptions } from './list-options';
import { paged } from './paged';

/** One page of live schedules. */
export interface SchedulePage {
  /** The schedules, in the requested order. */
  schedules: ScheduleSummary[];
  /** Pass it as `cursor` to get the next page; undefined after the last page. */
  nextCursor: string | undefined;
}

export async function* listSchedules(
  context: ClientContext,
  options: ListSchedulesOptions,
): AsyncGenerator<ScheduleSummary> {
  const { filter, order, resolved } = listOf(context, options);
  yield* paged(options.pageSize, async (last: ScheduleSummary | undefined, size) => {
    await context.ready();
    if (!last) await checkAttributes(context, options, resolved);
    const cursor = last && { scheduleId: last.scheduleId, nextFireAt: last.info.nextFireAt ?? null };
    return summarizePage(context, await readSchedulesPage(context.store, filter, { order, cursor, size }));
  });
}

export async function listSchedulesPage(
  context: ClientContext,
  given: ListSchedulesOptions & { cursor?: string | undefined },
): Promise<SchedulePage> {
  const { cursor, ...options } = given;
  const { filter, order, resolved } = listOf(context, options);
  const size = sizeOf(options.pageSize);
  const behind = cursor === undefined ? undefined : readKey(cursor, order);
  await context.ready();
  await checkAttributes(context, options, resolved);
  const read = await readSchedulesPage(context.store, filter, { order, cursor: behind, size: size + 1 });
  const { rows, last } = cut(read, size);
  const schedules = await summarizePage(context, rows);
  return { schedules, nextCursor: last && writeKey(last, order) };
}

/** @throws {InvalidOptionError | InvalidQueryError} */
export async function checkedFilter(
  context: ClientContext,
  options: ListSchedulesOptions,
): Promise<CheckedScheduleFilter> {
  const { filter, resolved } = listOf(context, options);
  await checkAttributes(context, options, resolved);
  return filter;
}

function listOf(context: ClientContext, options: ListSchedulesOptions) {
  checkOptions(scheduleFilter, options);
  const { orderBy = 'scheduleId', pageSize, query, ...given } = options;
  const resolved = query === undefined ? undefined : resolveQuery(query);
  // The ledger stores the source of a tenant under another name.
  const condition = resolved && mapColumn(resolved.condition, 'source', (source) => sourceIn(context, String(source)));
  return { filter: { ...inTenant(context, given), query: condition }, order: orderBy, resolved };
}

/**
 * Refuse names that no schedule has as a search attribute: a misspelt one would match nothing. @throws
 * {InvalidQueryError}
 */
export async function checkAttributes(
  context: ClientContext,
  { query = '' }: Pick<ListSchedulesOptions, 'query'>,
  resolved: ResolvedQuery | undefined,
): Promise<void> {
  if (!resolved || resolved.attributes.size === 0) return;
  const { attributes } = resolved;
  const { unknown, known } = await unknownAttributes(context.store, [...attributes.keys()], context.tenant);
  const [name] = unknown;
  if (name === undefined) return;
  const fields = Object.keys(COLUMNS);
  const hint = didYouMean(name, [...fields, ...known]);
  const problem = `'${name}' is not a field, and no schedule has a search attribute of that name${hint || `; fields are ${fields.join(', ')}`}`;
  throw new InvalidQueryError(query, attributes.get(name)!, problem);
}

function writeKey({ scheduleId, nextFireAt }: ScheduleCursor, order: ScheduleOrder): string {
  return writeCursor(order, [scheduleId, nextFireAt?.toISOString() ?? null]);
}

function readKey(cursor: string, order: ScheduleOrder): ScheduleCursor {
  const [scheduleId, nextFireAt] = readCursor(cursor, order);
  return { scheduleId: readText(scheduleId), nextFireAt: readInstant(nextFireAt) };
}
