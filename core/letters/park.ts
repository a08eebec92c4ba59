import type { ParkedStep } from './failed-step';

export type { ParkedStep } from './failed-step';

/** The local activity that parks a step, or answers that the step should not be parked. */
export const BURY_STEP = 'escapementBuryStep';
/**
 * The signal about parked steps. The first argument of the signal is a {@link ParkDecision}, or `{ decision: 'bury' }`
 * from a trigger that asks for lost letters. The second argument is a step's result.
 */
export const PARK_SIGNAL = 'escapementPark';
/**
 * The query that lists the steps of a workflow that are parked or being decided about, as {@link ParkedStep}s. The
 * workflow registers the query when a step first fails for good.
 */
export const PARKED_QUERY = 'escapementParked';

export interface BuryRequest {
  installation: string;
  scheduleId: string;
  /** The nominal time of the firing, ISO 8601. */
  scheduledTime: string;
  epoch: number;
  /** When the run started, in epoch milliseconds; workflow bundles of older versions do not send this field. */
  startedAt?: number;
  step: ParkedStep;
  /** The types of the failure and of its causes, the outermost first. */
  failureTypes: string[];
  /** The time of the failure by the workflow's clock, in epoch milliseconds. */
  failedAt: number;
  /**
   * For a redriven step: the ID of its former letter, which is opened again. For a step that is already parked: the ID
   * of its letter.
   */
  letterId?: string;
  /**
   * Given for a step that is already parked: the activity then writes its letter only if the ledger does not have it.
   */
  again?: {
    /** The run that the letter names; older versions do not send this field. */
    runId?: string;
    /** The time of the question by the workflow's clock, in epoch milliseconds. */
    askedAt: number;
  };
}

/**
 * The answer of the local activity {@link BURY_STEP}. The answer is stored in the workflow's history, so that a replay
 * does not depend on any configuration.
 */
export type BuryAnswer =
  | {
      decision: 'park';
      letterId: string;
      /** The run that received the answer. A reset copies the answer into the history of another run. */
      runId: string;
    }
  | { decision: 'fail' };

/**
 * An argument for {@link PARK_SIGNAL} that decides no step. If the ledger has lost letters of the run's parked steps, the
 * run writes them again. Workers of older versions ignore this argument.
 */
export const BURY_AGAIN = { decision: 'bury' } as const;

/** A decision about parked steps, which a signal carries to the workflow. */
export interface ParkDecision {
  /**
   * `redrive` schedules the step again. `discard` lets the step fail with its own failure. `complete` gives the step
   * the signal's second argument as its result; this works only with a `letterId`.
   */
  decision: 'redrive' | 'discard' | 'complete';
  /**
   * The decision applies only to steps up to this number; with `letterId`, to those of this letter. A result is for the
   * step with exactly this number.
   * @default every step that is parked when the signal arrives
   */
  burial?: number;
  /**
   * The decision applies only to steps up to the last step that this run has parked, even if a reset has carried these
   * steps into another run. With `letterId`, it applies only if this run has parked the step. @default any
   */
  runId?: string;
  /** The decision applies only to the step of this letter. @default any */
  letterId?: string;
}
