import type { FiringKey } from '../core/firing';
import type { PagePart } from '../store/firings/due-checks';
import { isOfRow, isOfRowAlone } from '../store/postgres-errors';
import type { TriggerContext } from './context';
import type { RefusedRow } from './refused-rows';

/** If this many single rows are refused and none is written, the cause may lie outside the rows. */
const REFUSED_AT_MOST = 16;

/**
 * Write a batch. If Postgres refuses one of its rows, for example by a constraint or a user's trigger, write the two
 * halves instead. Each half is divided again until the refused rows are alone. The refused rows are set aside. Larger
 * parts are written first, so that few rows wait while a refused row is looked for.
 *
 * @throws an error that no single row causes, such as a lost connection. It also throws a row's error if at least 16
 * rows are refused and none is written, or if the trigger stops before every part was tried.
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
  const unsaid: { row: Item; error: Error }[] = [];
  let refused = 0;
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    try {
      written.push(await write(part));
      for (const { row, error } of unsaid.splice(0)) aside.put(what, row, error);
      aside.over(what, part);
    } catch (error) {
      if (!isOfRow(error)) throw error;
      if (part.length === 1) {
        // If 16 rows were refused and none was written, further refusals are logged only once a row is written. If none
        // is, the pass fails and logs the reason.
        const isSaid = refused < REFUSED_AT_MOST || written.length > 0;
        aside.put(what, part[0]!, error, { isSaid });
        if (!isSaid) unsaid.push({ row: part[0]!, error });
        refused += 1;
      } else {
        const half = Math.ceil(part.length / 2);
        parts.push(part.slice(0, half), part.slice(half));
      }
      const isEach = refused >= REFUSED_AT_MOST && written.length === 0;
      // A missing right or a kept lock affects the other parts too, and each try may wait for the lock.
      const isOver = parts.length === 0 || !isOfRowAlone(error);
      if ((isEach && isOver) || (stopping.aborted && parts.length > 0)) throw error;
    }
  }
  return written;
}

/**
 * Take a batch of due rows in one statement. If Postgres refuses one of the rows, {@link byHalves} takes them by their
 * keys. Rows of schedules that are set aside are left out.
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
