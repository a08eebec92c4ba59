import { InvalidOptionError } from '../../core/errors';
import { RedriveModeError } from '../../core/letters/redrive';
import { checkOptions } from '../../core/options';
import { countLetters, type DeadLetter } from '../../store/letters/read-letters';
import type { ClientContext } from '../context';
import { ScheduleLockedError, ScheduleNotFoundError } from '../errors';
import { inTenant } from '../list/filters';
import { CannotResumeError, DeadLetterNotFoundError, DeadLetterStateError, RedriveNeedsForceError } from './errors';
import { type LetterFilter, letterChoice, letterQuery } from './filter';
import { listLetters } from './list';

const REFUSALS = [
  RedriveModeError,
  DeadLetterNotFoundError,
  DeadLetterStateError,
  RedriveNeedsForceError,
  CannotResumeError,
  ScheduleLockedError,
  ScheduleNotFoundError,
];

/** Progress or result of a bulk change, or what a dry run would do. */
export interface LetterCounts {
  /** Number of open letters that matched at the beginning, up to the option `atMost`. */
  total: number;
  /**
   * Number of letters that stayed as they are, by the name of the error that refused them. A dry run also counts as
   * `trigger` the letters that a trigger would reopen.
   */
  refused: Record<string, number>;
}

/**
 * The open letters of a bulk change: their number at the beginning, and each letter, oldest first.
 *
 * @throws {InvalidOptionError} for a filter that is not allowed, or is empty
 */
export async function openLetters(
  context: ClientContext,
  filter: LetterFilter,
  verb: 'redrive' | 'discard',
): Promise<{ total: number; letters: AsyncIterable<DeadLetter> }> {
  checkOptions(letterChoice, filter, 'filter');
  if (Object.keys(filter).length === 0) {
    throw new InvalidOptionError('filter', `selects nothing; give { state: 'open' } to ${verb} every open letter`);
  }
  const asked = inTenant(context, { ...filter, state: 'open' as const });
  await context.ready();
  const open = await letterQuery(context, asked);
  const total = filter.state && filter.state !== 'open' ? 0 : await countLetters(context.store, open);
  return { total, letters: listLetters(context, { ...open, order: 'oldest' }) };
}

/** @throws any error that does not concern only this letter */
export async function unlessRefused<Done>(change: () => Promise<Done>): Promise<Done | { refusal: string }> {
  try {
    return await change();
  } catch (error) {
    return { refusal: refusalOf(error).name };
  }
}

/** The error, if it refuses only this letter. @throws any other error */
export function refusalOf(error: unknown): Error {
  if (REFUSALS.some((refusal) => error instanceof refusal)) return error as Error;
  throw error;
}

export function countRefusal({ refused }: LetterCounts, name: string): void {
  refused[name] = (refused[name] ?? 0) + 1;
}
