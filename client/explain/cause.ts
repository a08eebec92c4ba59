import type { StepFailure } from '../../core/letters/failed-step';
import type { LetterState } from '../../core/letters/redrive';
import type { Freeze } from '../../store/freezes/rows';
import type { Firing } from '../../store/reads/read-firings';
import type { LockHolder } from '../../store/schedules/lock-holders';

/** Why a firing or a due occurrence makes no progress now, how it failed, or why it was skipped. */
export type Cause =
  | {
      /** No trigger is alive, so nothing is claimed, started or observed. */
      kind: 'no_trigger';
      /** The last heartbeat of the triggers that the ledger still has; null if it has none. */
      lastHeartbeatAt: Date | null;
    }
  | {
      /** Another session holds the lock of the schedule, or for a claimed firing the lock of the firing's row. */
      kind: 'locked';
      /** The sessions that hold the lock. */
      holders: LockHolder[];
    }
  | {
      /** Only a newer trigger can decide about the firing or occurrence. Triggers of this version leave it as it is. */
      kind: 'newer_trigger';
      /** What this version does not know, as a clause. */
      problem: string;
    }
  /** Postgres has failed over, and triggers first adopt what Temporal has started. */
  | { kind: 'adoption' }
  | {
      /** Temporal refused this start; after a few attempts the firing is abandoned. */
      kind: 'start_rejected';
      /** How many attempts Temporal has refused. */
      attempts: number;
      /** The error that Temporal returned. */
      error: string | null;
      /** When the next attempt is made. */
      nextTryAt: Date | null;
    }
  | {
      /** The start is refused or unanswered, although its namespace answers other calls. */
      kind: 'start_failing';
      /** When the start first failed. */
      since: Date;
      /** The last error of the start: what Temporal returned, or a text that says that no answer came. */
      error: string | null;
      /** When the next attempt is made. */
      nextTryAt: Date | null;
    }
  | {
      /** Temporal does not answer for the namespace, or refuses every call in it. */
      kind: 'temporal_away';
      /** Temporal namespace of the claim. */
      namespace: string;
      /** Since when a live trigger gets no answer, or only refusals. */
      since: Date;
      /**
       * Number of claims in the namespace that are not started, this firing's included. For a client of one tenant,
       * only the tenant's own claims are counted.
       */
      waiting: number;
      /** The error from Temporal or from the network. */
      error: string;
      /**
       * When the next attempt is made. Null if the start was never called: it is called as soon as Temporal answers.
       */
      nextTryAt: Date | null;
    }
  | {
      /** A trigger's cap on starts per second delays the start. */
      kind: 'cap';
      /** Temporal namespace of the cap, if the cap applies to a namespace. */
      namespace?: string;
      /** Task queue of the cap, if the cap applies to a task queue. */
      taskQueue?: string;
      /** Starts per second that the cap allows. */
      perSecond: number;
      /** Since when the cap has delayed starts. */
      since: Date;
      /**
       * Number of earlier claims in the namespace that are not started. For a client of one tenant, only the tenant's
       * own claims are counted.
       */
      before: number;
    }
  | {
      /** Earlier claims in the same namespace are not started yet. */
      kind: 'queue';
      /** Temporal namespace of the claim. */
      namespace: string;
      /**
       * Number of earlier claims. For a client of one tenant, only the tenant's own claims are counted; the number may
       * be 0.
       */
      before: number;
    }
  | {
      /** By its overlap policy, the firing waits for another firing of its schedule. */
      kind: 'behind';
      /** The oldest firing for which this one waits. */
      firing: Firing;
      /** Why that firing makes no progress. */
      cause: Cause | undefined;
    }
  | {
      /** A freeze holds back the firing, which was already `buffered`. */
      kind: 'frozen';
      /** The freeze that holds it. */
      freeze: Freeze;
      /** When no freeze holds it any more, also none that follows this one without a break. */
      until: Date;
    }
  | {
      /** The tenant has used up its quota of firings for this hour. */
      kind: 'quota';
      /** Tenant that has the quota. */
      tenant: string;
      /** Number of firings per hour that the quota allows. */
      firingsPerHour: number;
      /** When the next hour begins. */
      until: Date;
    }
  | {
      /** The firing's workflow is running, but makes no progress. */
      kind: 'stalled';
      /** `no_worker`, `task_failing` or `paused`. */
      reason: string;
      /** Task queue on which the workflow was started. */
      taskQueue: string;
    }
  | ({
      /** A step of the firing's workflow is parked and waits for a person. */
      kind: 'parked';
      /** When the step failed. */
      since: Date;
      /** Activity type of the step. */
      step: string | undefined;
      /** Whether the firing counts as running while the step is parked, by the policy `parkedHolds`. */
      holds: boolean;
      /** When the step fails unless a person decides before; undefined if the step waits without limit. */
      until: Date | undefined;
    } & LetterOfCause)
  | ({
      /** The firing was skipped because a step of another firing waited for a person. */
      kind: 'behind_parked';
      /** Nominal time of the other firing. */
      scheduledTime: Date;
      /** Since when the step of the other firing waited. */
      since: Date;
      /** Activity type of the step. */
      step: string | undefined;
    } & LetterOfCause)
  /** The firing was abandoned, or its workflow did not complete. */
  | ({ kind: 'failed' } & LetterOfCause);

/** A dead letter, as a cause names it. */
export interface LetterOfCause {
  /** ID of the dead letter, a UUID. */
  letterId: string;
  /** State of the dead letter. */
  letterState: LetterState;
  /** The stored failure; undefined if nothing ran, or if Temporal does not give one. */
  failure: Pick<StepFailure, 'type' | 'message'> | undefined;
}
