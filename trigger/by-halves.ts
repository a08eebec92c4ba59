import type { FiringKey } from '../core/firing';
import type { PagePart } from '../store/firings/due-checks';
import { isOfRow, isOfRowAlone } from '../store/postgres-errors';
import { concurrently } from './concurrently';
import type { TriggerContext } from './context';
import type { RefusedRow } from './refused-rows';

/** If this many single rows are refused and none is written, the cause may lie outside the rows. */
const REFUSED_AT_MOST = 16;

/**
 * Write a batch. If Postgres refuses one of its rows, for example by a constraint or a user's trigger, write the two
 * halves instead. Each half is divided again until the refused rows are alone. Their schedules are then left out for a
 * while. Larger parts are written first, so that few rows wait while a refused row is looked for.
 *
 * @param accepted the rows that a successful `write` has written. @default all of its part
 * @throws an error that no single row causes, such as a lost connection. It also throws a row's error if at least 16
 * rows are refused and none is written, or if the trigger stops before every part was tried.
 */
export async function byHalves<Item extends RefusedRow, Result>(
  { aside, stopping }: Pick<TriggerContext, 'aside' | 'stopping'>,
  what: string,
  batch: readonly Item[],
  write: (part: Item[]) => Promise<Result>,
  accepted: (result: Result, part: Item[]) => readonly RefusedRow[] = (_, part) => part,
): Promise<Result[]> {
  const written: Result[] = [];
  if (batch.length === 0) return written;
  const parts = [[...batch]];
  const unsaid: { row: Item; error: Error }[] = [];
  const works: RefusedRow[] = [];
  const refused: RefusedRow[] = [];
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    try {
      const result = await write(part);
      written.push(result);
      works.push(...accepted(result, part));
      for (const { row, error } of unsaid.splice(0)) aside.put(what, row, error);
    } catch (error) {
      if (!isOfRow(error)) throw error;
      if (part.length === 1) {
        // If 16 rows were refused and none was written, further refusals are logged only once a row is written. If none
        // is, the pass fails and logs the reason.
        const isSaid = refused.length < REFUSED_AT_MOST || written.length > 0;
        aside.put(what, part[0]!, error, { isSaid });
        if (!isSaid) unsaid.push({ row: part[0]!, error });
        refused.push(part[0]!);
      } else {
        const half = Math.ceil(part.length / 2);
        parts.push(part.slice(0, half), part.slice(half));
      }
      const isEach = refused.length >= REFUSED_AT_MOST && written.length === 0;
      // A missing right or a kept lock affects the other parts too, and each try may wait for the lock.
      const isOver = parts.length === 0 || !isOfRowAlone(error);
      if ((isEach && isOver) || (stopping.aborted && parts.length > 0)) throw error;
    }
  }
  sayOver(aside, what, works, refused);
  return written;
}

/**
 * Take a batch of due rows in one statement. If Postgres refuses one of the rows, {@link byHalves} takes them by their
 * keys. Schedules that `RefusedRows` leaves out are not read.
 */
export async function takeByHalves<Row extends RefusedRow, Key extends FiringKey = FiringKey>(
  context: Pick<TriggerContext, 'aside' | 'stopping'>,
  what: string,
  page: { take: (part: PagePart<Key>) => Promise<Row[]>; read: (part: PagePart<Key>) => Promise<Key[]> },
): Promise<Row[]> {
  const without = context.aside.all(what);
  try {
    const rows = await page.take({ without });
    context.aside.over(what, rows);
    return rows;
  } catch (error) {
    if (!isOfRow(error)) throw error;
    const keys = await page.read({ without });
    return (
      await byHalves(
        context,
        what,
        keys,
        (only) => page.take({ without, only }),
        (rows) => rows,
      )
    ).flat();
  }
}

/**
 * Handle rows one by one, at most `limit` at a time. If Postgres refuses a row, its schedule is left out for a while and
 * the others continue. The results are in the order of the rows. The result is undefined for a refused row, and for a
 * row that did not begin because the trigger stops.
 */
export async function eachOrSetAside<Row extends RefusedRow, Result>(
  { aside, stopping }: Pick<TriggerContext, 'aside' | 'stopping'>,
  what: string,
  rows: readonly Row[],
  limit: number,
  write: (row: Row) => Promise<Result>,
): Promise<(Result | undefined)[]> {
  const works: RefusedRow[] = [];
  const refused: RefusedRow[] = [];
  const results = await concurrently(rows, limit, stopping, async (row) => {
    try {
      const result = await write(row);
      works.push(row);
      return result;
    } catch (error) {
      if (!isOfRow(error)) throw error;
      aside.put(what, row, error);
      refused.push(row);
      return undefined;
    }
  });
  sayOver(aside, what, works, refused);
  return results;
}

/** Called once all rows were tried: a schedule works again only if none of its rows was refused. */
function sayOver(
  aside: TriggerContext['aside'],
  what: string,
  accepted: readonly RefusedRow[],
  refused: readonly RefusedRow[],
): void {
  const without = new Set(refused.map(({ scheduleId }) => scheduleId));
  aside.over(
    what,
    accepted.filter(({ scheduleId }) => !without.has(scheduleId)),
  );
}
