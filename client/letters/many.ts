import { InvalidOptionError } from '../../core/errors';
import { RedriveModeError } from '../../core/letters/redrive';
import { checkOptions } from '../../core/options';
import { countLetters, type DeadLetter } from '../../store/letters/read-letters';
import type { ClientContext } from '../context';
import { ScheduleLockedError } from '../errors';
import { CannotResumeError, DeadLetterStateError, RedriveNeedsForceError } from './errors';
import { type LetterFilter, letterChoice, letterQuery } from './filter';
import { listLetters } from './list';

const REFUSALS = [
  RedriveModeError,
  DeadLetterStateError,
  RedriveNeedsForceError,
  CannotResumeError,
  ScheduleLockedError,
];

/** What a change in bulk did so far, or would do. */
export interface LetterCounts {
  /** Letters that matched when it began. */
  total: number;
  /** Letters that stay as they are, by the name of the error that refused them. */
  refused: Record<string, number>;
}

/**
 * The open letters that a change in bulk is about: how many when it began, and each of them, oldest first.
 *
 * @throws {InvalidOptionError} for a filter that cannot be, or that names nothing
 */
export async function openLetters(
  context: ClientContext,
  filter: LetterFilter,
  verb: 'redrive' | 'discard',
): Promise<{ total: number; letters: AsyncIterable<DeadLetter> }> {
  checkOptions(letterChoice, filter, 'filter');
  if (Object.keys(filter).length === 0) {
    throw new InvalidOptionError('filter', `names nothing; give { state: 'open' } to ${verb} every open letter`);
  }
  const open = letterQuery(context, { ...filter, state: 'open' as const });
  await context.ready();
  const total = filter.state && filter.state !== 'open' ? 0 : await countLetters(context.store, open);
  return { total, letters: listLetters(context, { ...open, order: 'oldest' }) };
}

/**
 * What a change of one letter of many gives, or the name of the error that refused it.
 *
 * @throws what is no refusal of this letter alone
 */
export async function unlessRefused<Done>(change: () => Promise<Done>): Promise<Done | { refusal: string }> {
  try {
    return await change();
  } catch (error) {
    return { refusal: refusalOf(error).name };
  }
}

/** What refuses one letter of many. @throws what is no refusal of this letter alone */
export function refusalOf(error: unknown): Error {
  if (REFUSALS.some((refusal) => error instanceof refusal)) return error as Error;
  throw error;
}

/** Count one more refusal by its name. */
export function countRefusal({ refused }: LetterCounts, name: string): void {
  refused[name] = (refused[name] ?? 0) + 1;
}
