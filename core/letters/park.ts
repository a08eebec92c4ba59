import type { ParkedStep } from './failed-step';

export type { ParkedStep } from './failed-step';

/** Local activity that parks a step, or answers that it should not be parked. */
export const BURY_STEP = 'escapementBuryStep';
/** Signal that decides about parked steps. The first argument is a {@link ParkDecision}, the second a step's result. */
export const PARK_SIGNAL = 'escapementPark';
/** Query that lists the parked steps, as {@link ParkedStep}s. The query is registered when the first step is parked. */
export const PARKED_QUERY = 'escapementParked';

/** What the interceptor sends to {@link BURY_STEP}. */
export interface BuryRequest {
  installation: string;
  scheduleId: string;
  /** ISO 8601. */
  scheduledTime: string;
  epoch: number;
  step: ParkedStep;
  /** Types of its failure and of the causes, the outermost first. */
  failureTypes: string[];
  /** The workflow's time at the failure, in epoch milliseconds. */
  failedAt: number;
  /** For a redriven step: its former letter, which is opened again. For a step that is already parked: its letter. */
  letterId?: string;
  /** For a step that is already parked: the activity only checks that its letter exists. */
  again?: {
    /** The run that its letter names; absent from older versions. */
    runId?: string;
    /** The workflow's time at the question, in epoch milliseconds. */
    askedAt: number;
  };
}

/** The activity's answer. The answer is kept in the history, so that a replay does not depend on any configuration. */
export type BuryAnswer =
  | {
      decision: 'park';
      letterId: string;
      /** The run that got the answer. A reset copies the answer into another run. */
      runId: string;
    }
  | { decision: 'fail' };

/**
 * Argument of {@link PARK_SIGNAL} without a decision. The run checks that the letters of its parked steps exist, since
 * the ledger may have lost them. Workers of older versions ignore it.
 */
export const BURY_AGAIN = { decision: 'bury' } as const;

/** A decision about parked steps. */
export interface ParkDecision {
  /**
   * `redrive` schedules the step again. `discard` lets it fail with its own failure. `complete` gives it the signal's
   * second argument as its result, which only works with a `letterId`.
   */
  decision: 'redrive' | 'discard' | 'complete';
  /**
   * Only steps up to this number; with `letterId`, the step with this number. @default every step that is parked when
   * the signal arrives
   */
  burial?: number;
  /**
   * Only steps up to the last one that this run of the chain has parked, in whichever run they wait now. @default any
   */
  runId?: string;
  /** Only the step of this letter. @default any */
  letterId?: string;
}
