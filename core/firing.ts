import { ImpossibleTransitionError } from './errors';

/** State of a firing's row. There is no "started": a started, unlinked workflow is what Postgres cannot see. */
export type FiringState = (typeof FIRING_STATES)[number];
export const FIRING_STATES = ['buffered', 'claimed', 'linked', 'closed', 'skipped', 'abandoned'] as const;

/** Why a firing exists: its spec, catch-up after downtime, a backfill that was asked for, or a person. */
export type FiringKind = (typeof FIRING_KINDS)[number];
export const FIRING_KINDS = ['schedule', 'catchup', 'backfill', 'manual'] as const;

/** How a workflow chain ended; `unknown` when Temporal no longer knows. */
export type FiringOutcome = (typeof FIRING_OUTCOMES)[number];
export const FIRING_OUTCOMES = ['completed', 'failed', 'timed_out', 'canceled', 'terminated', 'unknown'] as const;

/** Whether an end needs a person: a cancellation or a termination was a person's will already. */
export function isFailure(outcome: FiringOutcome): boolean {
  return outcome === 'failed' || outcome === 'timed_out';
}

/**
 * The only legal transitions. `absent` is no row. `closed → linked` is a reset that reopened the chain; `→ claimed` out
 * of a final state is a restart or a redrive, `→ buffered` a person who has it run again; `skipped → absent` takes an
 * exclusion back.
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
 * Declare the transition a statement makes.
 *
 * @throws {ImpossibleTransitionError} when the table does not allow it
 */
export function transition<To extends FiringState | 'absent'>(from: FiringState | 'absent', to: To): To {
  const allowed: readonly string[] = TRANSITIONS[from];
  if (!allowed.includes(to)) throw new ImpossibleTransitionError(`a firing cannot go from ${from} to ${to}`);
  return to;
}

/** The unique key of a firing: schedule and nominal time. */
export interface FiringKey {
  /** The schedule that it is of. */
  scheduleId: string;
  /** Nominal time; a manual firing's has milliseconds. */
  scheduledTime: Date;
}

/** A firing's key as one text, for maps and sets. */
export function nameOf(key: FiringKey): string {
  return `${key.scheduledTime.getTime()} ${key.scheduleId}`;
}

/** Why and how often a firing was taken over by another trigger. */
export interface Recovery {
  /** 1 for the first time. */
  number: number;
  /** ISO 8601. */
  recoveredAt: string;
  /** Its trigger died, or nobody checked it for too long. */
  reason: 'trigger_lost' | 'check_overdue';
}

/** Who had a firing run again, when and why, and what it was before. In plain JSON. */
export interface RunAgain {
  /** 1 for the first time. */
  number: number;
  /** ISO 8601. */
  askedAt: string;
  /** The `identity` of the client that asked. */
  actor: string;
  /** Why. */
  note?: string;
  /** What became of it before; absent for an occurrence that had no firing. */
  former?: {
    /** Where it ended. */
    state: FiringState;
    /** Why it existed. */
    kind: FiringKind;
    /** How its chain ended, of a closed one. */
    outcome?: FiringOutcome;
    /** Why it was skipped or abandoned. */
    reason?: string;
    /** The workflow that it stood for. */
    workflowId?: string;
  };
}

/** A closed firing by its chain, in plain JSON. */
export interface EndedChain {
  /** Nominal time, ISO 8601. */
  scheduledTime: string;
  workflowId: string;
  /** First run of the chain. */
  runId?: string;
  /** ISO 8601. */
  closedAt: string;
}

/** The firing of a schedule before another, as the later one's memo has it. */
export interface PreviousInMemo extends EndedChain {
  outcome: FiringOutcome;
  /** What its workflow failed with, the first 1,000 characters. */
  failure?: string;
  /** The latest that completed, where the previous one did not. */
  completed?: EndedChain;
}
