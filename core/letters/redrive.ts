import type { VersioningOverride } from '@temporalio/common';
import type { EncodedPayload } from '../definition/definition';
import type { FiringState } from '../firing';

/** The subject of a dead letter: an abandoned start, a failed chain, or a step that waits in a running chain. */
export type LetterKind = 'start' | 'workflow' | 'parked';

/**
 * State of a letter. A letter is `redriving` until the close of the chain changes it to `resolved`, or back to `open`.
 */
export type LetterState = 'open' | 'redriving' | 'resolved' | 'discarded';

/**
 * How to redrive. `continue`: a parked step continues in place. `resume`: the chain goes back to just before the failed
 * step, and keeps every earlier result. `restart`: the firing starts from the beginning.
 */
export type RedriveMode = 'continue' | 'resume' | 'restart';

export const LETTER_KINDS: readonly LetterKind[] = ['start', 'workflow', 'parked'];
export const LETTER_STATES: readonly LetterState[] = ['open', 'redriving', 'resolved', 'discarded'];
export const REDRIVE_MODES: readonly RedriveMode[] = ['continue', 'resume', 'restart'];

/** The modes of each kind; the first one is its default. */
const MODES: Record<LetterKind, readonly RedriveMode[]> = {
  start: ['restart'],
  workflow: ['resume', 'restart'],
  parked: ['continue'],
};

const WHY_NOT: Record<LetterKind, string> = {
  start: 'its workflow never started',
  workflow: 'its workflow has ended',
  parked: 'its workflow still runs, and waits at the step',
};

/** A redrive in the form that is stored with its letter. Instants are ISO 8601. */
export interface RedriveRequest {
  /**
   * `complete` gives a parked step a result. `discard` lets it fail, so that its workflow continues to its end.
   * `expire` does the same, but the letter stays open.
   */
  mode: RedriveMode | 'complete' | 'discard' | 'expire';
  /** UUID by which Temporal deduplicates the signal. Servers from 1.32 do not deduplicate resets. */
  requestId: string;
  /** Whether other steps, beside and after the failed one, may run again. */
  force: boolean;
  /** When it was requested. */
  askedAt: string;
  /** For a bulk redrive: it waits for its schedule's overlap policy and its namespace's limits. */
  inTurn?: true;
  /** For a bulk redrive: maximum number of redrives per second. */
  perSecond?: number;
  /** When a trigger should carry it out or retry it; absent once it is done. */
  lookAt?: string;
  /**
   * The reset that is about to be requested: the failed run and its event. The ledger has this before Temporal is
   * called.
   */
  reset?: {
    /** The run that failed. */
    runId: string;
    /** The last event to keep. */
    eventId: number;
  };
  /**
   * For a parked step: which run gets the decision, and for which time that it was parked. The ledger has this before
   * the signal is sent.
   */
  told?: {
    /** The run that waits. */
    runId: string;
    /** The number of the step among those that the run has parked. */
    burial: number;
  };
  /** The worker version on which it continues; absent if Temporal decides. */
  versioningOverride?: VersioningOverride;
  /** When a trigger carried the redrive out; absent before that. */
  carriedOutAt?: string;
  /** For `complete`: the step's result, as its client's data converter and codec encoded it. */
  result?: EncodedPayload;
}

/** The letter cannot be redriven with this mode; the message names the mode that it supports. */
export class RedriveModeError extends Error {
  override readonly name = 'RedriveModeError';
  constructor(
    /** The kind of the letter. */
    readonly kind: LetterKind,
    /** The requested mode. */
    readonly mode: RedriveMode | 'complete',
  ) {
    const allowed = MODES[kind].map((name) => `'${name}'`).join(' or ');
    super(`a letter of kind '${kind}' cannot be redriven by '${mode}', since ${WHY_NOT[kind]}; use mode ${allowed}`);
  }
}

/**
 * The mode of a redrive: the requested one, or the default of the letter's kind.
 *
 * @throws {RedriveModeError} for a mode that the kind does not support
 */
export function redriveModeOf(kind: LetterKind, mode: RedriveMode = MODES[kind][0]!): RedriveMode {
  if (!MODES[kind].includes(mode)) throw new RedriveModeError(kind, mode);
  return mode;
}

/**
 * Epoch of the new start. A firing that never ran keeps its epoch, and with it the request ID by which Temporal
 * recognises an earlier call. The firing gets the next epoch, and so a new workflow ID, if its workflow ID belongs to a
 * stranger's workflow, or if one of its chains has run.
 */
export function restartEpochOf(letter: { kind: LetterKind; reason: string; epoch: number }): number {
  return letter.kind === 'start' && letter.reason !== 'workflow_id_taken' ? letter.epoch : letter.epoch + 1;
}

/** Whether a restart uses the current definition. A start that Temporal refused permanently would be refused again. */
export function restartsByCurrentVersion(reason: string): boolean {
  return reason === 'start_rejected' || reason === 'start_refused';
}

/**
 * Why a redrive cannot be carried out in the current state of its firing; undefined if it can.
 *
 * @param state null if the firing's month is no longer in the ledger
 */
export function refusalByFiring(mode: RedriveRequest['mode'], state: FiringState | null): string | undefined {
  if (state === null) return 'the ledger no longer keeps its firing';
  const allowed = FIRING_STATES_OF[mode];
  return allowed && !allowed.includes(state) ? `its firing is ${state} again` : undefined;
}

/** For a parked step, the running workflow decides. */
const FIRING_STATES_OF: Partial<Record<RedriveRequest['mode'], readonly FiringState[]>> = {
  restart: ['abandoned', 'closed'],
  resume: ['closed', 'linked'],
};
