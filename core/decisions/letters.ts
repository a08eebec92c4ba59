import type { FiringOutcome } from '../firing';
import { type FailedStep, isSameFailure } from '../letters/failed-step';
import type { LetterKind, LetterState, RedriveRequest } from '../letters/redrive';

/** A letter of a firing that is not resolved. */
export interface StandingLetter {
  letterId: string;
  kind: LetterKind;
  state: Exclude<LetterState, 'resolved'>;
  failedStep: (FailedStep & { burial?: number }) | null;
  redrive: RedriveRequest | null;
  updatedAt: Date;
}

/** How a firing ended that has not completed. */
export interface BadEnd {
  /** What its letter would be. `ended` is no failure: a letter is left only where a step was parked or a redrive under way. */
  as: 'start' | 'workflow' | 'ended';
  outcome: FiringOutcome | 'abandoned';
  failedStep: FailedStep | undefined;
}

/** What becomes of one letter. */
export interface LetterChange {
  letterId: string;
  state: 'open' | 'discarded';
  kind: LetterKind;
  /** `end`: it is about this end from now on, and no longer about what it was before. `same`: it was about it already. */
  takes: 'end' | 'same' | 'nothing';
}

/** What an end says of a firing's letters. */
export interface LetterDecision {
  changes: LetterChange[];
  /** Whether the failure needs a letter of its own. */
  opens: boolean;
}

/**
 * What becomes of a firing's letters when it ends badly. A failure has one letter: the one that is about it already, or else that
 * of the redrive which failed, or of an earlier failure of the whole chain, or else a new one. Where a person gave up that very
 * failure there is none. A step that was parked waits no more, and its letter stays open: no person has decided.
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
    // The end that it is about was recorded once more: what a person asked for is still to come.
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

/** By a person: what was parked for too long is not tried again. */
function isRedriven({ state, redrive }: StandingLetter): boolean {
  return state === 'redriving' && redrive?.mode !== 'expire';
}

/** Given up by a person, though the step may not have been told. */
function isDiscard({ state, redrive }: StandingLetter): boolean {
  return state === 'discarded' || (state === 'redriving' && redrive?.mode === 'discard');
}

function latest(letters: StandingLetter[]): StandingLetter | undefined {
  return letters.toSorted((one, other) => other.updatedAt.getTime() - one.updatedAt.getTime())[0];
}
