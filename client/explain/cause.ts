import type { StepFailure } from '../../core/letters/failed-step';
import type { LetterState } from '../../core/letters/redrive';
import type { Firing } from '../../store/reads/read-firings';
import type { LockHolder } from '../../store/schedules/lock-holders';

/** What keeps a firing, or an occurrence that is due, from going on at the moment of the question; or what it failed with. */
export type Cause =
  | {
      /** No trigger gives a sign of life, so that nothing is claimed, started or observed. */
      kind: 'no_trigger';
      /** The last one of any trigger; null where each that there was stopped in order. */
      lastHeartbeatAt: Date | null;
    }
  | {
      /** Another session keeps the row locked: the schedule's, or of a claim the firing's. */
      kind: 'locked';
      /** Who does. */
      holders: LockHolder[];
    }
  /** The database has become another one, and what Temporal has started comes first. */
  | { kind: 'adoption' }
  | {
      /** Temporal refused the start itself; after a few attempts the firing is given up. */
      kind: 'start_rejected';
      /** How often. */
      attempts: number;
      /** What Temporal said. */
      error: string | null;
      /** When it is checked again. */
      nextTryAt: Date | null;
    }
  | {
      /** This start is refused or not answered, though its namespace answers. */
      kind: 'start_failing';
      /** When it first was. */
      since: Date;
      /** What Temporal said. */
      error: string | null;
      /** When it is checked again. */
      nextTryAt: Date | null;
    }
  | {
      /** Temporal does not answer for the namespace, or refuses all of it. */
      kind: 'temporal_away';
      /** Temporal namespace of the claim. */
      namespace: string;
      /** When a trigger that is alive first had no answer. */
      since: Date;
      /** How many claims of the namespace are not started, this one included; to a client of one tenant its own. */
      waiting: number;
      /** What Temporal said, or how it was silent. */
      error: string;
      /** When it is checked again; null where it was never called, and goes out as soon as Temporal answers. */
      nextTryAt: Date | null;
    }
  | {
      /** A cap on starts, as a trigger is set up with, lets it wait. */
      kind: 'cap';
      /** Temporal namespace of the cap, where it is one of a namespace. */
      namespace?: string;
      /** Task queue of the cap, where it is one of a task queue. */
      taskQueue?: string;
      /** Starts a second that it lets go. */
      perSecond: number;
      /** Since when it holds starts back. */
      since: Date;
      /** How many claims of the namespace come before it; to a client of one tenant its own. */
      before: number;
    }
  | {
      /** Others of its namespace were claimed before it and are not started either. */
      kind: 'queue';
      /** Temporal namespace of the claim. */
      namespace: string;
      /** How many; to a client of one tenant its own, which may be none. */
      before: number;
    }
  | {
      /** Its overlap policy lets it wait for another firing of its schedule. */
      kind: 'behind';
      /** The oldest that holds the schedule. */
      firing: Firing;
      /** What keeps that one. */
      cause: Cause | undefined;
    }
  | {
      /** Its tenant has fired as often in this hour of the clock as an operator allows it. */
      kind: 'quota';
      /** Whose quota it is. */
      tenant: string;
      /** How many an hour. */
      firingsPerHour: number;
      /** When the next hour begins. */
      until: Date;
    }
  | {
      /** Its workflow runs and gets nowhere. */
      kind: 'stalled';
      /** `no_worker`, `task_failing` or `paused`. */
      reason: string;
      /** That the workflow was started on. */
      taskQueue: string;
    }
  | ({
      /** A step of its workflow waits for a person. */
      kind: 'parked';
      /** When it failed. */
      since: Date;
      /** Type of the activity. */
      step: string | undefined;
      /** Whether its firing holds the schedule while it waits, by the policy `parkedHolds`. */
      holds: boolean;
      /** When it fails unless somebody decides before; undefined where it waits for as long as that takes. */
      until: Date | undefined;
    } & LetterOfCause)
  | ({
      /** It was skipped while a step of an earlier firing waited for a person. */
      kind: 'behind_parked';
      /** Nominal time of that firing. */
      scheduledTime: Date;
      /** Since when its step waited. */
      since: Date;
      /** Type of the activity. */
      step: string | undefined;
    } & LetterOfCause)
  /** It failed, or was given up. */
  | ({ kind: 'failed' } & LetterOfCause);

/** A dead letter, as a cause names it. */
export interface LetterOfCause {
  /** UUID. */
  letterId: string;
  /** Whether it still needs a person. */
  letterState: LetterState;
  /** The failure as it was kept; undefined where nothing ran, or Temporal does not say. */
  failure: Pick<StepFailure, 'type' | 'message'> | undefined;
}
