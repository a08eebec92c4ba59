import { checkOptions } from '../../core/options';
import { type DeadLetter, readLettersPage } from '../../store/letters/read-letters';
import type { ClientContext } from '../context';
import { paged } from '../list/paged';
import { type LetterFilter, letterFilter, letterQuery } from './filter';
import { withText } from './text';

/** Which letters to list, and in which order. */
export interface ListLettersOptions extends LetterFilter {
  /** Letters read at once. @default 200 */
  pageSize?: number;
  /** By when they were written. @default 'newest' */
  order?: 'newest' | 'oldest';
}

export function listLetters(context: ClientContext, options: ListLettersOptions): AsyncIterable<DeadLetter> {
  checkOptions(letterFilter, options);
  const { pageSize, order, ...given } = options;
  const filter = letterQuery(context, given);
  return paged(pageSize, async (cursor: DeadLetter | undefined, size) => {
    await context.ready();
    const letters = await readLettersPage(context.store, filter, { cursor, size, oldestFirst: order === 'oldest' });
    return Promise.all(letters.map((letter) => withText(context.codec, letter)));
  });
}
