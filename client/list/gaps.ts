import { z } from 'zod';
import { count, instant, storable, tenantOrAll } from '../../core/option-fields';
import { checkOptions, type FieldsOf } from '../../core/options';
import { type GapKey, type ListedGap, readGapsPage } from '../../store/reads/list-gaps';
import type { ClientContext } from '../context';
import { cut, readCursor, readInstant, readText, sizeOf, writeCursor } from './cursor';
import { inTenant } from './filters';

/** Which gaps to list. A gap must match every given filter. */
export interface ListGapsOptions {
  /** Only gaps of this schedule, live or deleted. @default all schedules */
  scheduleId?: string | undefined;
  /** Only gaps that were written at this time or later. @default no bound */
  from?: Date | undefined;
  /** Only gaps that were written before this time. @default no bound */
  to?: Date | undefined;
  /** Only gaps of schedules that belong to this tenant now. @default all that the client can see */
  tenant?: string | undefined;
  /** Number of gaps per query. @default 200 */
  pageSize?: number | undefined;
  /** The `nextCursor` of the previous page. @default the first page */
  cursor?: string | undefined;
}

/** One page of gaps, the last written first. */
export interface GapsPage {
  /** Stretches of occurrences that their schedules did not fire by themselves. */
  gaps: ListedGap[];
  /** Pass it as `cursor` to get the next page; undefined after the last page. */
  nextCursor: string | undefined;
}

const gapFilter = z.strictObject({
  scheduleId: storable.optional(),
  from: instant.optional(),
  to: instant.optional(),
  tenant: tenantOrAll,
  pageSize: count.optional(),
  cursor: storable.optional(),
} satisfies FieldsOf<ListGapsOptions>);

const ORDER = 'recorded';

export async function listGapsPage(context: ClientContext, options: ListGapsOptions): Promise<GapsPage> {
  checkOptions(gapFilter, options);
  const { cursor, pageSize, ...given } = options;
  const filter = inTenant(context, given);
  const size = sizeOf(pageSize);
  const behind = cursor === undefined ? undefined : readKey(cursor);
  await context.ready();
  const { rows, last } = cut(await readGapsPage(context.store, filter, { cursor: behind, size: size + 1 }), size);
  const nextCursor =
    last && writeCursor(ORDER, [last.recordedAt.toISOString(), last.scheduleId, last.from.toISOString()]);
  return { gaps: rows, nextCursor };
}

function readKey(cursor: string): GapKey {
  const [recordedAt, scheduleId, from] = readCursor(cursor, ORDER);
  return {
    recordedAt: readInstant(readText(recordedAt))!,
    scheduleId: readText(scheduleId),
    from: readInstant(readText(from))!,
  };
}
