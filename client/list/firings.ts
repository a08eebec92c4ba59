import type { FiringKey } from '../../core/firing';
import { checkOptions } from '../../core/options';
import { type FiringOrder, readFiringsPage } from '../../store/reads/list-firings';
import type { Firing } from '../../store/reads/read-firings';
import type { ClientContext } from '../context';
import { cut, readCursor, readInstant, readText, sizeOf, writeCursor } from './cursor';
import { firingFilter, inTenant } from './filters';
import type { ListFiringsOptions } from './list-options';
import { paged } from './paged';

/** One page of firings. */
export interface FiringsPage {
  /** The firings, in the requested order. */
  firings: Firing[];
  /** Pass it as `cursor` to get the next page; undefined after the last page. */
  nextCursor: string | undefined;
}

export async function* listFirings(context: ClientContext, options: ListFiringsOptions): AsyncGenerator<Firing> {
  const { filter, order } = listOf(context, options);
  yield* paged(options.pageSize, async (cursor: Firing | undefined, size) => {
    await context.ready();
    return readFiringsPage(context.store, filter, { order, cursor, size });
  });
}

export async function listFiringsPage(
  context: ClientContext,
  given: ListFiringsOptions & { cursor?: string | undefined },
): Promise<FiringsPage> {
  const { cursor, ...options } = given;
  const { filter, order } = listOf(context, options);
  const size = sizeOf(options.pageSize);
  const behind = cursor === undefined ? undefined : readKey(cursor, order);
  await context.ready();
  const read = await readFiringsPage(context.store, filter, { order, cursor: behind, size: size + 1 });
  const { rows, last } = cut(read, size);
  return { firings: rows, nextCursor: last && writeCursor(order, [last.scheduledTime.toISOString(), last.scheduleId]) };
}

function listOf(context: ClientContext, options: ListFiringsOptions) {
  checkOptions(firingFilter, options);
  const { order = 'newest', pageSize, ...given } = options;
  return { filter: inTenant(context, given), order };
}

function readKey(cursor: string, order: FiringOrder): FiringKey {
  const [scheduledTime, scheduleId] = readCursor(cursor, order);
  return { scheduledTime: readInstant(readText(scheduledTime))!, scheduleId: readText(scheduleId) };
}
