import type { FiringKey } from '../core/firing';
import type { PagePart } from '../store/firings/due-checks';
import { isOfRow } from '../store/postgres-errors';
import type { RefusedRow } from './aside';
import type { TriggerContext } from './context';

/** As many that fail alone while none is written have no trouble of their own: what all need is missing. */
const REFUSED_AT_MOST = 16;

/**
 * Write a batch. Where Postgres refuses a row of it, such as by a constraint or a trigger of somebody's, write its halves,
 * and theirs, until the culprits are alone: those are set aside. The larger parts go first, so that none waits for a culprit
 * longer than it must.
 *
 * @param what is written, as the log names it
 * @returns what came of each part that was written
 * @throws what is no row's own, such as that Postgres does not answer
 */
export async function byHalves<Item extends RefusedRow, Result>(
  { aside, stopping }: Pick<TriggerContext, 'aside' | 'stopping'>,
  what: string,
  batch: readonly Item[],
  write: (part: Item[]) => Promise<Result>,
): Promise<Result[]> {
  const written: Result[] = [];
  if (batch.length === 0) return written;
  const parts = [[...batch]];
  let refused = 0;
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    try {
      written.push(await write(part));
      aside.over(what, part);
    } catch (error) {
      if (!isOfRow(error)) throw error;
      if (part.length === 1) {
        aside.put(what, part[0]!, error);
        refused += 1;
      } else {
        const half = Math.ceil(part.length / 2);
        parts.push(part.slice(0, half), part.slice(half));
      }
      const isNobodysOwn = refused >= REFUSED_AT_MOST && written.length === 0;
      if (isNobodysOwn || (stopping.aborted && parts.length > 0)) throw error;
    }
  }
  return written;
}

/**
 * Take a page in one statement. Where Postgres refuses a row of it, take its halves by their keys, as {@link byHalves} does. What is
 * set aside is left out for that while.
 *
 * @param page.take takes what is due, or a part of it
 * @param page.read the keys of what is due, without taking it
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
    return (await byHalves(context, what, keys, (only) => page.take({ without, only }))).flat();
  }
}

/** Write one row, or set it aside. Undefined where it was refused. */
export async function writeOrSetAside<Result>(
  { aside }: Pick<TriggerContext, 'aside'>,
  what: string,
  row: RefusedRow,
  write: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    const result = await write();
    aside.over(what, [row]);
    return result;
  } catch (error) {
    if (!isOfRow(error)) throw error;
    aside.put(what, row, error);
    return undefined;
  }
}
