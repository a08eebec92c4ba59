import type { VersioningOverride } from '@temporalio/common';
import type { EncodedPayload } from '../definition/definition';
import type { FiringOutcome, FiringState } from '../firing';

/**
 * The kind of a dead letter: a start that was abandoned, a chain that did not complete, or a step that waits in a
 * running chain.
 */
export type LetterKind = 'start' | 'workflow' | 'parked';

/**
 * The state of a dead letter. A redriven letter is `redriving`. An open or redriven letter becomes `resolved` when its
 * firing's chain completes, or when the firing is skipped since Temporal's own schedule started it.
 */
export type LetterState = 'open' | 'redriving' | 'resolved' | 'discarded';

/**
 * The ways to redrive a dead letter. `continue`: the parked step is tried again in its running workflow. `resume`: the
 * chain is reset to just before the failed step, and keeps earlier results. `restart`: the firing starts again from the
 * beginning.
 */
export type RedriveMode = 'continue' | 'resume' | 'restart';

export const LETTER_KINDS: readonly LetterKind[] = ['start', 'workflow', 'parked'];
export const LETTER_STATES: readonly LetterState[] = ['open', 'redriving', 'resolved', 'discarded'];
export const REDRIVE_MODES: readonly RedriveMode[] = ['continue', 'resume', 'restart'];

/** The modes for each kind of letter; the first mode is the default. */
const MODES: Record<LetterKind, readonly RedriveMode[]> = {
  start: ['restart'],
  workflow: ['resume', 'restart'],
  parked: ['continue'],
};

const WHY_NOT: Record<LetterKind, string> = {
  start: 'its workflow is not known to have started',
  workflow: 'its workflow has ended',
  parked: 'its workflow still runs, and waits at the step',
};

/** A redrive request, in the form in which it is stored with its letter. Instants are ISO 8601. */
export interface RedriveRequest {
  /**
   * `complete` gives a parked step a result. `discard` lets the parked step fail in its workflow. `expire` also lets
   * the step fail, but the letter stays open.
   */
  mode: RedriveMode | 'complete' | 'discard' | 'expire';
  /**
   * The request ID of the signal or the reset, a UUID. Temporal deduplicates signals by it. Servers from 1.32 on do not
   * deduplicate resets by it.
   */
  requestId: string;
  /** Whether steps other than the failed one may run again. */
  force: boolean;
  /** When the redrive was requested. */
  askedAt: string;
  /**
   * Set for a bulk redrive. It waits until its schedule's overlap policy allows it and, if it starts or resets a chain,
   * until caps on starts allow it.
   */
  inTurn?: true;
  /** For a bulk redrive: the maximum number of redrives per second. */
  perSecond?: number;
  /**
   * The tenant of the client that asked, if it has one. The bulk redrives of one tenant share a pace, and so do those
   * of all clients without a tenant.
   */
  paceOf?: string;
  /** When a trigger should carry the redrive out or try it again; absent once it was carried out or given up. */
  lookAt?: string;
  /** When a trigger last took the redrive, to carry it out; absent if none has. */
  takenAt?: string;
  /**
   * The reset that a trigger is about to request: the failed run and the event to reset to. The trigger stores the
   * reset in the ledger before it calls Temporal.
   */
  reset?: {
    /** The run that failed. */
    runId: string;
    /** The completed workflow task to reset to. */
    eventId: number;
    /**
     * The events of activities that were scheduled before the reset point and had not ended there, so that they run
     * again; absent if there are none.
     */
    unended?: number[];
    /** How the firing had ended; absent if that was not recorded. */
    outcome?: FiringOutcome;
    /** When the firing had ended. */
    closedAt?: string;
  };
  /**
   * For a parked step: the run that receives the decision, and the number of the parking that the decision is for. The
   * trigger stores both in the ledger before it sends the signal. After a resume, it stores both as soon as it finds
   * that the chain continues in a run that its own reset did not make.
   */
  told?: {
    /** The run to which the decision is sent. */
    runId: string;
    /** The number of the step among those that the run has tried to park. */
    burial: number;
  };
  /** The worker version on which the workflow continues; absent if Temporal decides. */
  versioningOverride?: VersioningOverride;
  /** When a trigger carried the redrive out; absent if none has. */
  carriedOutAt?: string;
  /** For `complete`: the step's result, encoded by the data converter and codec of the client that gave it. */
  result?: EncodedPayload;
}

/** The letter cannot be redriven in this mode; the message names the modes that its kind supports. */
export class RedriveModeError extends Error {
  override readonly name = 'RedriveModeError';
  constructor(
    /** The kind of the letter. */
    readonly kind: LetterKind,
    /** The redrive mode that was requested. */
    readonly mode: RedriveMode | 'complete',
  ) {
    const allowed = MODES[kind].map((name) => `'${name}'`).join(' or ');
    super(`a letter of kind '${kind}' cannot be redriven by '${mode}', since ${WHY_NOT[kind]}; use mode ${allowed}`);
  }
}

/**
 * The mode of a redrive: the requested mode, or else the default for the letter's kind.
 *
 * @throws {RedriveModeError} for a mode that the kind does not support
 */
export function redriveModeOf(kind: LetterKind, mode: RedriveMode = MODES[kind][0]!): RedriveMode {
  if (!MODES[kind].includes(mode)) throw new RedriveModeError(kind, mode);
  return mode;
}

/**
 * The epoch that a restarted firing gets. After an abandoned start the firing keeps its epoch, and so the request ID by
 * which Temporal recognises an earlier call. If a foreign workflow has the workflow ID, or if the chain has run, the
 * firing gets the next epoch, and so a new workflow ID. A closed firing's chain has run, even if an older trigger has
 * left the letter as one of kind `start`. If the outcome is `unknown`, the chain may still run, so after an abandoned
 * start the firing keeps its epoch.
 *
 * @param letter.state the firing's state
 * @param letter.outcome the firing's outcome; null until it is closed
 */
export function restartEpochOf(letter: {
  kind: LetterKind;
  reason: string;
  state: FiringState | null;
  outcome: FiringOutcome | null;
  epoch: number;
}): number {
  const { kind, reason, state, outcome, epoch } = letter;
  const hasEnded = state === 'closed' && outcome !== 'unknown';
  return kind === 'start' && !hasEnded && reason !== 'workflow_id_taken' ? epoch : epoch + 1;
}

/**
 * Whether a restart of an abandoned firing uses the schedule's current definition. After a rejected or refused start,
 * Temporal might not accept the same definition again.
 */
export function restartsByCurrentVersion(reason: string): boolean {
  return reason === 'start_rejected' || reason === 'start_refused';
}

/**
 * Why a redrive cannot be carried out while its firing is in this state; undefined if the state allows the redrive.
 *
 * @param state the firing's state; null if its month is no longer in the ledger
 */
export function refusalByFiring(mode: RedriveRequest['mode'], state: FiringState | null): string | undefined {
  // `discard` and `expire` need no row of the firing.
  if (state === null)
    return mode === 'discard' || mode === 'expire' ? undefined : 'the ledger no longer keeps its firing';
  const allowed = FIRING_STATES_OF[mode];
  return allowed && !allowed.includes(state) ? `its firing is ${state} again` : undefined;
}

/** Modes that are not listed are for parked steps: they are allowed in every state, since the running workflow decides. */
const FIRING_STATES_OF: Partial<Record<RedriveRequest['mode'], readonly FiringState[]>> = {
  restart: ['abandoned', 'closed'],
  resume: ['closed', 'linked'],
};
