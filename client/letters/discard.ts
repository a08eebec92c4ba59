import type { DeadLetter } from '../../store/letters/read-letters';
import { askForRedrive, discardLetter } from '../../store/letters/redrive';
import { restoreLetter } from '../../store/letters/restore';
import type { ClientContext } from '../context';
import { changeLetter, conflictOf, getLetter, isAsked, requestOf } from './change';
import { CannotRestoreError, DeadLetterStateError } from './errors';
import type { LetterFilter } from './filter';
import { countRefusal, type LetterCounts, openLetters, unlessRefused } from './many';

/** How to discard a letter. */
export interface DiscardOptions {
  /** Why the letter is discarded. */
  note: string;
}

/** How to discard many letters with one call. */
export interface DiscardAllOptions extends DiscardOptions {
  /** Count the letters that match, and change nothing. @default false */
  dryRun?: boolean;
  /** Called after each letter. @default no callback */
  progress?: (counts: DiscardCounts) => void;
}

/** Progress or result of discarding many letters, or what a dry run would do. */
export interface DiscardCounts extends LetterCounts {
  /** Number of discarded letters. Parked steps among them fail once a trigger has sent the failure. */
  discarded: number;
}

/** How to undo a discard. */
export interface RestoreOptions {
  /** Why the discard is undone; kept with the letter. @default none */
  note?: string;
}

export async function discard(context: ClientContext, letterId: string, { note }: DiscardOptions): Promise<DeadLetter> {
  const letter = await getLetter(context, letterId);
  await changeLetter(context, letter, async (transaction, current, { now }) => {
    if (isAsked(current, 'discard', 'discard')) return;
    if (current.state !== 'open') throw new DeadLetterStateError(letterId, current.state, 'discard');
    const actor = context.identity;
    if (current.kind === 'parked') {
      await askForRedrive(transaction, letterId, { request: requestOf('discard', now), actor, note, now });
    } else {
      await discardLetter(transaction, letterId, { actor, note, now });
    }
  });
  return getLetter(context, letterId);
}

export async function discardAll(
  context: ClientContext,
  filter: LetterFilter,
  { note, dryRun, progress }: DiscardAllOptions,
): Promise<DiscardCounts> {
  const { total, letters } = await openLetters(context, filter, 'discard');
  const counts: DiscardCounts = { total, discarded: 0, refused: {} };
  if (dryRun) return { ...counts, discarded: total };
  let left = total;
  if (left === 0) return counts;
  for await (const { letterId } of letters) {
    if (left-- <= 0) break;
    const done = await unlessRefused(() => discard(context, letterId, { note }));
    if ('refusal' in done) countRefusal(counts, done.refusal);
    else counts.discarded += 1;
    progress?.(counts);
  }
  return counts;
}

export async function restore(context: ClientContext, letterId: string, { note }: RestoreOptions): Promise<DeadLetter> {
  const letter = await getLetter(context, letterId);
  await changeLetter(context, letter, async (transaction, current, { now }) => {
    const { state, redrive } = current;
    if (state === 'redriving' && redrive && redrive.mode !== 'discard') throw conflictOf(current, 'restore');
    if (state !== 'redriving' && state !== 'discarded') throw new DeadLetterStateError(letterId, state, 'restore');
    const restored = await restoreLetter(transaction, letterId, { actor: context.identity, note, now });
    if (restored !== 'restored') throw new CannotRestoreError(letterId, restored);
  });
  return getLetter(context, letterId);
}
