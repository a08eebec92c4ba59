import { checkOptions } from '../core/options';
import { readSchedulesPage, type ScheduleCursor, type ScheduleOrder } from '../store/list-schedules';
import type { ScheduleRow } from '../store/read-schedules';
import type { ScheduleFilter } from '../store/schedule-filter';
import type { ClientContext } from './context';
import { cut, readCursor, readInstant, readText, sizeOf, writeCursor } from './cursor';
import { summarizeLive } from './describe-live';
import type { ScheduleSummary } from './description';
import { inTenant, scheduleFilter } from './filters';
import { paged } from './paged';

/** Which live schedules to list, and in which order. */
export interface ListSchedulesOptions extends ScheduleFilter {
  /** @default 'scheduleId' */
  orderBy?: ScheduleOrder | undefined;
  /** Schedules that are read at once. @default 200 */
  pageSize?: number | undefined;
}

/** One page of live schedules. */
export interface SchedulePage {
  /** In the order that was asked for. */
  schedules: ScheduleSummary[];
  /** The `cursor` of the next page; undefined after the last one. */
  nextCursor: string | undefined;
}

/** Live schedules, read page by page as they are asked for. */
export async function* listSchedules(
  context: ClientContext,
  options: ListSchedulesOptions,
): AsyncGenerator<ScheduleSummary> {
  const { filter, order } = listOf(context, options);
  const rows = paged(options.pageSize, async (cursor: ScheduleRow | undefined, size) => {
    await context.ready();
    return readSchedulesPage(context.store, filter, { order, cursor, size });
  });
  for await (const row of rows) yield summarizeLive(context, row);
}

/** One page behind `cursor`. */
export async function listSchedulesPage(
  context: ClientContext,
  given: ListSchedulesOptions & { cursor?: string | undefined },
): Promise<SchedulePage> {
  const { cursor, ...options } = given;
  const { filter, order } = listOf(context, options);
  const size = sizeOf(options.pageSize);
  const behind = cursor === undefined ? undefined : readKey(cursor, order);
  await context.ready();
  const read = await readSchedulesPage(context.store, filter, { order, cursor: behind, size: size + 1 });
  const { rows, last } = cut(read, size);
  const schedules = await Promise.all(rows.map((row) => summarizeLive(context, row)));
  return { schedules, nextCursor: last && writeKey(last, order) };
}

function listOf(context: ClientContext, options: ListSchedulesOptions) {
  checkOptions(scheduleFilter, options);
  const { orderBy = 'scheduleId', pageSize, ...given } = options;
  return { filter: inTenant(context, given), order: orderBy };
}

function writeKey({ scheduleId, nextFireAt }: ScheduleCursor, order: ScheduleOrder): string {
  return writeCursor(order, [scheduleId, nextFireAt?.toISOString() ?? null]);
}

function readKey(cursor: string, order: ScheduleOrder): ScheduleCursor {
  const [scheduleId, nextFireAt] = readCursor(cursor, order);
  return { scheduleId: readText(scheduleId), nextFireAt: readInstant(nextFireAt) };
}
