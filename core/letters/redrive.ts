import type { VersioningOverride } from '@temporalio/common';
import type { EncodedPayload } from '../definition/definition';
import type { FiringState } from '../firing';

/** What a dead letter is about: a start that was given up, a chain that failed, or a step that waits in a running one. */
export type LetterKind = 'start' | 'workflow' | 'parked';

/** A letter's life. `redriving` until the close of the chain makes it `resolved`, or `open` again. */
export type LetterState = 'open' | 'redriving' | 'resolved' | 'discarded';

/**
 * How to try again. `continue`: a parked step goes on in place. `resume`: the chain goes back to just before the failed
 * step and keeps every earlier result. `restart`: the firing starts from the beginning.
 */
export type RedriveMode = 'continue' | 'resume' | 'restart';

export const LETTER_KINDS: readonly LetterKind[] = ['start', 'workflow', 'parked'];
export const LETTER_STATES: readonly LetterState[] = ['open', 'redriving', 'resolved', 'discarded'];
export const REDRIVE_MODES: readonly RedriveMode[] = ['continue', 'resume', 'restart'];

/** What each kind can be redriven by; the first is its default. */
const MODES: Record<LetterKind, readonly RedriveMode[]> = {
  start: ['restart'],
  workflow: ['resume', 'restart'],
  parked: ['continue'],
};

const WHY_NOT: Record<LetterKind, string> = {
  start: 'its workflow never started',
  workflow: 'its workflow has ended',
  parked: 'its workflow still runs and waits at the step',
};

/** A redrive as it is stored with its letter. Instants are ISO 8601. */
export interface RedriveRequest {
  /**
   * `complete` gives a parked step a result; `discard` lets it fail, so that its workflow goes on to its end; so does `expire`, and
   * its letter stays open.
   */
  mode: RedriveMode | 'complete' | 'discard' | 'expire';
  /** UUID. Temporal signals once for it; servers from 1.32 on reset as often as they are asked. */
  requestId: string;
  /** Whether steps beside and after the failed one may run again. */
  force: boolean;
  /** When it was asked for. */
  askedAt: string;
  /** One of many: it waits its turn within its schedule's overlap policy and its namespace's caps. */
  inTurn?: true;
  /** Of one of many: how many of them may be carried out in a second. */
  perSecond?: number;
  /** When a trigger is to carry it out, or to try again; absent once that is done. */
  lookAt?: string;
  /** What is about to be reset: the run that failed, and its event. Written before Temporal is asked. */
  reset?: {
    /** The run that failed. */
    runId: string;
    /** The last event that is kept. */
    eventId: number;
  };
  /** Of a parked step: which run was told, and of which time that it was parked. Written before it is told. */
  told?: {
    /** The run that waits. */
    runId: string;
    /** The step's number among those that it has parked. */
    burial: number;
  };
  /** On which worker version it goes on; absent where Temporal decides. */
  versioningOverride?: VersioningOverride;
  /** When a trigger did it; absent until then. */
  carriedOutAt?: string;
  /** Of `complete`: the step's result, as its client's data converter and codec left it. */
  result?: EncodedPayload;
}

/** The letter cannot be redriven in this way; says which way there is. */
export class RedriveModeError extends Error {
  override readonly name = 'RedriveModeError';
  constructor(
    /** The kind of the letter. */
    readonly kind: LetterKind,
    /** The mode that was asked for. */
    readonly mode: RedriveMode | 'complete',
  ) {
    const allowed = MODES[kind].map((name) => `'${name}'`).join(' or ');
    super(`a letter of kind '${kind}' cannot be redriven by '${mode}', since ${WHY_NOT[kind]}; use mode ${allowed}`);
  }
}

/**
 * The mode of a redrive: what was asked for, or the default of the letter's kind.
 *
 * @throws {RedriveModeError} for a mode that the kind does not have
 */
export function redriveModeOf(kind: LetterKind, mode: RedriveMode = MODES[kind][0]!): RedriveMode {
  if (!MODES[kind].includes(mode)) throw new RedriveModeError(kind, mode);
  return mode;
}

/**
 * Epoch of the new start. A firing that never ran keeps its own, and with it the request by which Temporal would know
 * an earlier call. Where its workflow ID is a stranger's, or a chain of it has run, the next epoch gives it an ID of
 * its own.
 */
export function restartEpochOf(letter: { kind: LetterKind; reason: string; epoch: number }): number {
  return letter.kind === 'start' && letter.reason !== 'workflow_id_taken' ? letter.epoch : letter.epoch + 1;
}

/** Whether a restart takes the schedule as it is by now: what Temporal refused for good it would refuse again. */
export function restartsByCurrentVersion(reason: string): boolean {
  return reason === 'start_rejected' || reason === 'start_refused';
}

/**
 * Why a redrive cannot be carried out, by the state that its firing has by then; undefined where it can.
 *
 * @param state null where the firing's month is gone from the ledger
 */
export function refusalByFiring(mode: RedriveRequest['mode'], state: FiringState | null): string | undefined {
  if (state === null) return 'its firing is older than what the ledger keeps';
  const allowed = FIRING_STATES_OF[mode];
  return allowed && !allowed.includes(state) ? `its firing is ${state} again` : undefined;
}

/** A parked step's workflow is asked itself. */
const FIRING_STATES_OF: Partial<Record<RedriveRequest['mode'], readonly FiringState[]>> = {
  restart: ['abandoned', 'closed'],
  resume: ['closed', 'linked'],
};
