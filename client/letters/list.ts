import { checkOptions } from '../../core/options';
import { type DeadLetter, type LetterQuery, readLettersPage } from '../../store/letters/read-letters';
import type { ClientContext } from '../context';
import { cut, readCursor, readInstant, readText, readUuid, sizeOf, writeCursor } from '../list/cursor';
import { inTenant } from '../list/filters';
import { paged } from '../list/paged';
import { type LetterFilter, letterFilter, letterQuery } from './filter';
import { withText } from './text';

/** Which letters to list, and in which order. */
export interface ListLettersOptions extends LetterFilter {
  /** Number of letters per query. @default 200 */
  pageSize?: number;
  /** Which letters come first: those written last, or those written first. @default 'newest' */
  order?: 'newest' | 'oldest';
}

export function listLetters(context: ClientContext, options: ListLettersOptions): AsyncIterable<DeadLetter> {
  checkOptions(letterFilter, options);
  const { pageSize, order, ...given } = options;
  const asked = inTenant(context, given);
  let filter: LetterQuery | undefined;
  return paged(pageSize, async (cursor: DeadLetter | undefined, size) => {
    await context.ready();
    filter ??= await letterQuery(context, asked);
    const letters = await readLettersPage(context.store, filter, { cursor, size, oldestFirst: order === 'oldest' });
    return Promise.all(letters.map((letter) => withText(context.codec, letter)));
  });
}

/** One page of dead letters. */
export interface DeadLetterPage {
  /** The letters, in the requested order. */
  letters: DeadLetter[];
  /** Pass it as `cursor` to get the next page; undefined after the last page. */
  nextCursor: string | undefined;
}

export async function listLettersPage(
  context: ClientContext,
  given: ListLettersOptions & { cursor?: string | undefined },
): Promise<DeadLetterPage> {
  const { cursor, ...options } = given;
  checkOptions(letterFilter, options);
  const { pageSize, order = 'newest', ...asked } = options;
  const size = sizeOf(pageSize);
  const behind = cursor === undefined ? undefined : readKey(cursor, order);
  const own = inTenant(context, asked);
  await context.ready();
  const filter = await letterQuery(context, own);
  const page = { size: size + 1, oldestFirst: order === 'oldest', ...(behind ? { cursor: behind } : {}) };
  const { rows, last } = cut(await readLettersPage(context.store, filter, page), size);
  const letters = await Promise.all(rows.map((letter) => withText(context.codec, letter)));
  return { letters, nextCursor: last && writeCursor(`${order} letter`, [last.createdAt.toISOString(), last.letterId]) };
}

function readKey(cursor: string, order: string) {
  const [createdAt, letterId] = readCursor(cursor, `${order} letter`);
  return { createdAt: readInstant(readText(createdAt))!, letterId: readUuid(letterId) };
}
