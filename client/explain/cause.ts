import type { StepFailure } from '../../core/letters/failed-step';
import type { LetterState } from '../../core/letters/redrive';
import type { Firing } from '../../store/reads/read-firings';
import type { LockHolder } from '../../store/schedules/lock-holders';

/** Why a firing or a due occurrence makes no progress at the moment of the question, or how it failed. */
export type Cause =
  | {
      /** No trigger sends heartbeats, so that nothing is claimed, started or observed. */
      kind: 'no_trigger';
      /** The last heartbeat of any trigger; null if all triggers were stopped in an orderly way. */
      lastHeartbeatAt: Date | null;
    }
  | {
      /** Another session holds the row lock of the schedule; for a claim, that of the firing. */
      kind: 'locked';
      /** Who does. */
      holders: LockHolder[];
    }
  /** Postgres has failed over, and triggers first adopt what Temporal has started. */
  | { kind: 'adoption' }
  | {
      /** Temporal refused this start; after a few attempts the firing is abandoned. */
      kind: 'start_rejected';
      /** How often. */
      attempts: number;
      /** What Temporal said. */
      error: string | null;
      /** When the next attempt is made. */
      nextTryAt: Date | null;
    }
  | {
      /** This start is refused or unanswered, although its namespace answers. */
      kind: 'start_failing';
      /** When that first happened. */
      since: Date;
      /** What Temporal said. */
      error: string | null;
      /** When the next attempt is made. */
      nextTryAt: Date | null;
    }
  | {
      /** Temporal does not answer for the namespace, or refuses every call in it. */
      kind: 'temporal_away';
      /** Temporal namespace of the claim. */
      namespace: string;
      /** When a live trigger first got no answer. */
      since: Date;
      /**
       * Number of claims in the namespace that are not started, including this one. A client of one tenant gets the
       * number of its own.
       */
      waiting: number;
      /** What Temporal replied, or how the call timed out. */
      error: string;
      /**
       * When the next attempt is made; null if the start was never called, so that it goes out as soon as Temporal
       * answers.
       */
      nextTryAt: Date | null;
    }
  | {
      /** A trigger's limit on starts per second delays it. */
      kind: 'cap';
      /** Temporal namespace of the limit, if it applies to a namespace. */
      namespace?: string;
      /** Task queue of the limit, if it applies to a task queue. */
      taskQueue?: string;
      /** Allowed starts per second. */
      perSecond: number;
      /** Since when the limit delays starts. */
      since: Date;
      /** Number of earlier claims in the namespace. A client of one tenant gets the number of its own. */
      before: number;
    }
  | {
      /** Earlier claims in its namespace are not started yet. */
      kind: 'queue';
      /** Temporal namespace of the claim. */
      namespace: string;
      /** Number of earlier claims. A client of one tenant gets the number of its own, which may be 0. */
      before: number;
    }
  | {
      /** By its overlap policy, it waits for another firing of its schedule. */
      kind: 'behind';
      /** The oldest firing that it waits for. */
      firing: Firing;
      /** Why that firing makes no progress. */
      cause: Cause | undefined;
    }
  | {
      /** The tenant has used up its quota of firings for this hour, which an operator has set. */
      kind: 'quota';
      /** Tenant that has the quota. */
      tenant: string;
      /** Allowed firings per hour. */
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
      /** A step of its workflow is parked and waits for a person. */
      kind: 'parked';
      /** When it failed. */
      since: Date;
      /** Activity type of the step. */
      step: string | undefined;
      /** Whether the firing counts as running meanwhile, by the policy `parkedHolds`. */
      holds: boolean;
      /** When the step fails unless somebody decides before; undefined if it waits without limit. */
      until: Date | undefined;
    } & LetterOfCause)
  | ({
      /** The firing was skipped because a step of an earlier firing waited for a person. */
      kind: 'behind_parked';
      /** Nominal time of that firing. */
      scheduledTime: Date;
      /** Since when the step waited. */
      since: Date;
      /** Activity type of the step. */
      step: string | undefined;
    } & LetterOfCause)
  /** The firing failed, or was abandoned. */
  | ({ kind: 'failed' } & LetterOfCause);

/** A dead letter, as a cause refers to it. */
export interface LetterOfCause {
  /** UUID. */
  letterId: string;
  /** Whether the letter still needs a person. */
  letterState: LetterState;
  /** The stored failure; undefined if nothing ran, or if Temporal does not give one. */
  failure: Pick<StepFailure, 'type' | 'message'> | undefined;
}
