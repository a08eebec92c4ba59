import type { FiringOutcome } from '../firing';
import { type FailedStep, isSameFailure } from '../letters/failed-step';
import type { LetterKind, LetterState, RedriveRequest } from '../letters/redrive';

/** An unresolved letter of a firing. */
export interface StandingLetter {
  letterId: string;
  kind: LetterKind;
  state: Exclude<LetterState, 'resolved'>;
  failedStep: (FailedStep & { burial?: number }) | null;
  redrive: RedriveRequest | null;
  updatedAt: Date;
}

/** How a firing ended without completing. */
export interface BadEnd {
  /**
   * The kind of letter for this end. `ended` is not a failure; it only matters if a step was parked or a redrive was in
   * progress.
   */
  as: 'start' | 'workflow' | 'ended';
  outcome: FiringOutcome | 'abandoned';
  failedStep: FailedStep | undefined;
}

/** What to do with one letter. */
export interface LetterChange {
  letterId: string;
  state: 'open' | 'discarded';
  kind: LetterKind;
  /** `end`: the letter now describes this end instead of its former failure. `same`: it already described this end. */
  takes: 'end' | 'same' | 'nothing';
}

/** What an end means for the letters of its firing. */
export interface LetterDecision {
  changes: LetterChange[];
  /** Whether the failure needs a new letter. */
  opens: boolean;
}

/**
 * What happens to the letters of a firing that ends badly. Each failure has one letter: the one that already describes
 * it. Without that, the letter of the redrive that failed is used, then one of an earlier failure of the whole chain. Only
 * then a new letter opens. If a person has discarded this very failure, there is none. If a step was parked, it no longer
 * waits, and its letter stays open, since nobody has decided about it.
 */
export function decideLetters(end: BadEnd, letters: readonly StandingLetter[]): LetterDecision {
  const taker = end.as === 'ended' ? undefined : takerOf(end, letters);
  const changes = letters.flatMap((letter): LetterChange[] => {
    const { letterId, kind, state } = letter;
    if (state === 'discarded') return [];
    if (isDiscard(letter)) return [{ letterId, state: 'discarded', kind, takes: 'nothing' }];
    if (letter === taker) {
      const takes = isAbout(letter, end) ? 'same' : 'end';
      return [{ letterId, state: 'open', kind: end.as === 'start' ? 'start' : 'workflow', takes }];
    }
    if (kind === 'parked') return [{ letterId, state: 'open', kind: 'workflow', takes: 'nothing' }];
    // The same end was recorded again, so a decision about it is still pending.
    if (state === 'redriving' && !isPendingFor(letter, end))
      return [{ letterId, state: 'open', kind, takes: 'nothing' }];
    return [];
  });
  const isSettled = letters.some((letter) => isDiscard(letter) && isAbout(letter, end));
  const isPending = letters.some((letter) => isPendingFor(letter, end));
  return { changes, opens: end.as !== 'ended' && !taker && !isSettled && !isPending };
}

function takerOf(end: BadEnd, letters: readonly StandingLetter[]): StandingLetter | undefined {
  const undecided = letters.filter((letter) => !isDiscard(letter));
  if (letters.some((letter) => isDiscard(letter) && isAbout(letter, end))) return undefined;
  if (undecided.some((letter) => isPendingFor(letter, end))) return undefined;
  return (
    undecided.find((letter) => isAbout(letter, end)) ??
    latest(undecided.filter(isRedriven)) ??
    latest(undecided.filter(({ kind, failedStep }) => kind !== 'parked' && failedStep?.burial === undefined))
  );
}

function isAbout({ failedStep, redrive }: StandingLetter, end: BadEnd): boolean {
  if (!failedStep || !end.failedStep) return false;
  return isSameFailure(failedStep, end.failedStep, redrive?.told ? [redrive.told.runId] : []);
}

function isPendingFor(letter: StandingLetter, end: BadEnd): boolean {
  const { kind, state, redrive } = letter;
  return state === 'redriving' && kind !== 'parked' && redrive?.lookAt !== undefined && isAbout(letter, end);
}

/** A redrive that a person requested. A step that was parked for too long is not tried again. */
function isRedriven({ state, redrive }: StandingLetter): boolean {
  return state === 'redriving' && redrive?.mode !== 'expire';
}

/** Discarded by a person, even if the workflow may not have received the decision. */
function isDiscard({ state, redrive }: StandingLetter): boolean {
  return state === 'discarded' || (state === 'redriving' && redrive?.mode === 'discard');
}

function latest(letters: StandingLetter[]): StandingLetter | undefined {
  return letters.toSorted((one, other) => other.updatedAt.getTime() - one.updatedAt.getTime())[0];
}
