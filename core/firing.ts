import { ImpossibleTransitionError } from './errors';

/**
 * The state of a firing's row. There is no state "started": until a firing is linked, the ledger does not know whether
 * its workflow was started.
 */
export type FiringState = (typeof FIRING_STATES)[number];
export const FIRING_STATES = ['buffered', 'claimed', 'linked', 'closed', 'skipped', 'abandoned'] as const;

/**
 * Why a firing exists. `schedule`: its occurrence was due. `catchup`: its occurrence was missed and fires late.
 * `backfill`: a person requested a backfill, ran an occurrence again, or moved the schedule from or back to Temporal.
 * `manual`: a person triggered the schedule.
 */
export type FiringKind = (typeof FIRING_KINDS)[number];
export const FIRING_KINDS = ['schedule', 'catchup', 'backfill', 'manual'] as const;

/** How a workflow chain ended; `unknown` if Temporal no longer has the chain's end or its namespace. */
export type FiringOutcome = (typeof FIRING_OUTCOMES)[number];
export const FIRING_OUTCOMES = ['completed', 'failed', 'timed_out', 'canceled', 'terminated', 'unknown'] as const;

/** Whether an outcome counts as a failure: a cancellation or a termination does not. */
export function isFailure(outcome: FiringOutcome): boolean {
  return outcome === 'failed' || outcome === 'timed_out';
}

/**
 * The only transitions that are allowed between states of a firing. `absent` means that the firing has no row. `closed
 * → linked` is a reset that reopened the chain. A closed or abandoned firing becomes `claimed` by a redrive, or when a
 * trigger adopts a run that a failover lost. A closed, abandoned or skipped firing becomes `buffered` when it is run
 * again. `skipped → absent` removes an exclusion, or ends shadow mode.
 */
export const TRANSITIONS = {
  absent: ['buffered', 'claimed', 'skipped'],
  buffered: ['claimed', 'skipped'],
  claimed: ['linked', 'closed', 'skipped', 'abandoned'],
  linked: ['closed'],
  closed: ['linked', 'claimed', 'buffered'],
  abandoned: ['claimed', 'buffered'],
  skipped: ['absent', 'buffered'],
} as const satisfies Record<FiringState | 'absent', readonly (FiringState | 'absent')[]>;

/**
 * Declare the transition that a statement makes. Returns the new state.
 *
 * @throws {ImpossibleTransitionError} if {@link TRANSITIONS} does not allow the transition
 */
export function transition<To extends FiringState | 'absent'>(from: FiringState | 'absent', to: To): To {
  const allowed: readonly string[] = TRANSITIONS[from];
  if (!allowed.includes(to)) throw new ImpossibleTransitionError(`a firing cannot go from ${from} to ${to}`);
  return to;
}

/** The unique key of a firing: schedule and nominal time. */
export interface FiringKey {
  /** ID of the schedule. */
  scheduleId: string;
  /** The nominal time; the time of a manual firing has milliseconds. */
  scheduledTime: Date;
}

/** The key of a firing as one text, for maps and sets. */
export function nameOf(key: FiringKey): string {
  return `${key.scheduledTime.getTime()} ${key.scheduleId}`;
}

/**
 * How often, when and why other triggers have recovered a firing. After a restart or a run again, the count begins
 * again.
 */
export interface Recovery {
  /** How often another trigger has recovered the firing: 1 for the first time. */
  number: number;
  /** When the firing was last recovered, ISO 8601. */
  recoveredAt: string;
  /** Why the firing was recovered: its trigger died, or its start was not linked in time. */
  reason: 'trigger_lost' | 'check_overdue';
}

/** Who ran a firing again, when and why, and its former state. All values are plain JSON. */
export interface RunAgain {
  /** How often the firing was run again: 1 for the first time. */
  number: number;
  /** When a person asked to run the firing again, ISO 8601. */
  askedAt: string;
  /** The `identity` of the client through which the person asked. */
  actor: string;
  /** The person's reason. */
  note?: string;
  /** The result before the firing was run again; absent for an occurrence that had no firing. */
  former?: {
    /** The final state that the firing had. */
    state: FiringState;
    /** The kind that the firing had. */
    kind: FiringKind;
    /** For a closed firing: the outcome of its chain. */
    outcome?: FiringOutcome;
    /** Why the firing was skipped or abandoned. */
    reason?: string;
    /** The workflow ID that the firing had. */
    workflowId?: string;
  };
}

/** A closed firing with its chain, in plain JSON. */
export interface EndedChain {
  /** The nominal time of the firing, ISO 8601. */
  scheduledTime: string;
  workflowId: string;
  /** The first run of the chain. */
  runId?: string;
  /** When the chain ended, ISO 8601. */
  closedAt: string;
}

/** The latest closed one of the 100 firings before a firing, as it is stored in that firing's memo. */
export interface PreviousInMemo extends EndedChain {
  outcome: FiringOutcome;
  /** The first 1,000 characters of the previous workflow's failure message; absent once its letter is settled. */
  failure?: string;
  /** The latest of those 100 firings that completed; absent if the previous one did, or none did. */
  completed?: EndedChain;
}
