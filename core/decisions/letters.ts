import type { FiringOutcome } from '../firing';
import { type FailedStep, isSameFailure } from '../letters/failed-step';
import type { LetterKind, LetterState, RedriveRequest } from '../letters/redrive';

export interface StandingLetter {
  letterId: string;
  kind: LetterKind;
  state: Exclude<LetterState, 'resolved'>;
  failedStep: (FailedStep & { burial?: number }) | null;
  redrive: RedriveRequest | null;
  updatedAt: Date;
}

export interface BadEnd {
  /**
   * The kind of letter that this end opens. The value `ended` is no failure and opens no letter, but it may change
   * letters of parked steps, of redrives and of abandoned starts.
   */
  as: 'start' | 'workflow' | 'ended';
  outcome: FiringOutcome | 'abandoned';
  failedStep: FailedStep | undefined;
  /** Whether the chain may still run: the server that was asked lacks the chain's namespace. @default false */
  mayRun?: boolean | undefined;
}

export interface LetterChange {
  letterId: string;
  state: 'open' | 'discarded';
  kind: LetterKind;
  /**
   * `end`: the letter now describes this end of the firing instead of its earlier failure. `same`: the letter already
   * described this end.
   */
  takes: 'end' | 'same' | 'nothing';
}

export interface LetterDecision {
  changes: LetterChange[];
  opens: boolean;
}

/**
 * Decides about the letters of a firing that ends without completing. If a letter already describes this failure, that
 * letter is used. If no letter describes it, the letter of the redrive that failed is used, or else the latest letter
 * that was never about a parked step. The letter of a step that may still wait is not used, since the next reset may
 * keep the wait. A new letter opens only if no letter can be used. If a person has discarded this same failure, no
 * letter opens. A parked step's letter that nobody discarded becomes one of kind `workflow`, since the step no longer
 * waits. If the chain may still run, the letter keeps its kind, and opens only if a decision about it was carried out:
 * otherwise the step may still wait. A letter of an abandoned start becomes one of kind `workflow` too, once a chain of
 * its firing has ended. It keeps its kind while the chain may still run.
 */
export function decideLetters(end: BadEnd, letters: readonly StandingLetter[]): LetterDecision {
  const taker = end.as === 'ended' ? undefined : takerOf(end, letters);
  const changes = letters.flatMap((letter): LetterChange[] => {
    const { letterId, kind, state } = letter;
    if (state === 'discarded' || (end.mayRun && kind === 'parked' && !isCarriedOut(letter))) return [];
    if (isDiscard(letter)) return [{ letterId, state: 'discarded', kind, takes: 'nothing' }];
    if (letter === taker) {
      const takes = isAbout(letter, end) ? 'same' : 'end';
      return [{ letterId, state: 'open', kind: end.as === 'start' ? 'start' : 'workflow', takes }];
    }
    if (kind === 'parked')
      return [{ letterId, state: 'open', kind: end.mayRun ? 'parked' : 'workflow', takes: 'nothing' }];
    // A letter of kind `start` is restarted by default, which would repeat steps that the chain has already taken.
    if (kind === 'start' && end.as !== 'start' && !end.mayRun)
      return [{ letterId, state: 'open', kind: 'workflow', takes: end.as === 'ended' ? 'end' : 'nothing' }];
    // If this end was recorded before, the redrive of its letter is still pending, and stays so.
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

/**
 * Whether the redrive of this letter may have led to the end. The mode `expire` is requested by a trigger, not by a
 * person. A step that was parked may still wait until its redrive was carried out: an announced decision may not have
 * been sent, and a requested resume may not have begun.
 */
function isRedriven({ state, failedStep, redrive }: StandingLetter): boolean {
  const hasReached = failedStep?.burial === undefined || redrive?.carriedOutAt !== undefined;
  return state === 'redriving' && redrive?.mode !== 'expire' && hasReached;
}

/** Whether a trigger has carried out the redrive of this letter; its end is not known yet. */
function isCarriedOut({ state, redrive }: StandingLetter): boolean {
  return state === 'redriving' && redrive?.carriedOutAt !== undefined;
}

/** Whether the letter was discarded, even if the workflow may not have received the decision. */
function isDiscard({ state, redrive }: StandingLetter): boolean {
  return state === 'discarded' || (state === 'redriving' && redrive?.mode === 'discard');
}

function latest(letters: StandingLetter[]): StandingLetter | undefined {
  return letters.toSorted((one, other) => other.updatedAt.getTime() - one.updatedAt.getTime())[0];
}
