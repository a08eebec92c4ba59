import { ImpossibleTransitionError } from './errors';

/**
 * State of a firing's row. There is no state "started", since Postgres cannot see a workflow that was started but not
 * linked.
 */
export type FiringState = (typeof FIRING_STATES)[number];
export const FIRING_STATES = ['buffered', 'claimed', 'linked', 'closed', 'skipped', 'abandoned'] as const;

/** Why a firing exists: its spec, catch-up after downtime, a requested backfill, or a person. */
export type FiringKind = (typeof FIRING_KINDS)[number];
export const FIRING_KINDS = ['schedule', 'catchup', 'backfill', 'manual'] as const;

/** How a workflow chain ended; `unknown` if Temporal no longer knows. */
export type FiringOutcome = (typeof FIRING_OUTCOMES)[number];
export const FIRING_OUTCOMES = ['completed', 'failed', 'timed_out', 'canceled', 'terminated', 'unknown'] as const;

/** Whether an end needs a person. A cancellation or a termination was already somebody's decision. */
export function isFailure(outcome: FiringOutcome): boolean {
  return outcome === 'failed' || outcome === 'timed_out';
}

/**
 * The only legal transitions. `absent` means that there is no row. `closed → linked` is a reset that reopened the
 * chain. A final state changes to `claimed` by a restart or a redrive, and to `buffered` if a person runs it again.
 * `skipped → absent` undoes an exclusion.
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
 * Declare the transition that a statement makes.
 *
 * @throws {ImpossibleTransitionError} if the table does not allow it
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
  /** Nominal time; a manual firing's has milliseconds. */
  scheduledTime: Date;
}

/** The key of a firing as one text, for maps and sets. */
export function nameOf(key: FiringKey): string {
  return `${key.scheduledTime.getTime()} ${key.scheduleId}`;
}

/** Why, and how often, other triggers have recovered a firing. */
export interface Recovery {
  /** 1 for the first time. */
  number: number;
  /** ISO 8601. */
  recoveredAt: string;
  /** The trigger died, or the start was not linked in time. */
  reason: 'trigger_lost' | 'check_overdue';
}

/** Who ran a firing again, when and why, and its former state. In plain JSON. */
export interface RunAgain {
  /** 1 for the first time. */
  number: number;
  /** ISO 8601. */
  askedAt: string;
  /** The `identity` of the client that requested it. */
  actor: string;
  /** Why. */
  note?: string;
  /** The former result; absent for an occurrence that had no firing. */
  former?: {
    /** Where it ended. */
    state: FiringState;
    /** Why it existed. */
    kind: FiringKind;
    /** For a closed firing: how its chain ended. */
    outcome?: FiringOutcome;
    /** Why the firing was skipped or abandoned. */
    reason?: string;
    /** Workflow ID that belonged to it. */
    workflowId?: string;
  };
}

/** A closed firing with its chain, in plain JSON. */
export interface EndedChain {
  /** Nominal time, ISO 8601. */
  scheduledTime: string;
  workflowId: string;
  /** First run of the chain. */
  runId?: string;
  /** ISO 8601. */
  closedAt: string;
}

/** The previous firing of a schedule, as it is stored in the memo of the next one. */
export interface PreviousInMemo extends EndedChain {
  outcome: FiringOutcome;
  /** Failure of its workflow, the first 1,000 characters. */
  failure?: string;
  /** The latest completed firing, if the previous one did not complete. */
  completed?: EndedChain;
}
