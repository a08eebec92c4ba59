import type { ParkedStep } from './failed-step';

export type { ParkedStep } from './failed-step';

/** Local activity that parks a step, or says that it is not to be parked. */
export const BURY_STEP = 'escapementBuryStep';
/** Signal that decides what becomes of parked steps; its argument is a {@link ParkDecision}, and behind it a step's result. */
export const PARK_SIGNAL = 'escapementPark';
/** Query that lists the parked steps, as {@link ParkedStep}s. Known once the first one was parked. */
export const PARKED_QUERY = 'escapementParked';

/** What the interceptor asks of {@link BURY_STEP}. */
export interface BuryRequest {
  installation: string;
  scheduleId: string;
  /** ISO 8601. */
  scheduledTime: string;
  epoch: number;
  step: ParkedStep;
  /** Of its failure and of that failure's causes, the outermost first. */
  failureTypes: string[];
  /** The workflow's time then, in epoch milliseconds. */
  failedAt: number;
  /** The letter of a step that was tried again: it is opened again. */
  letterId?: string;
}

/** Its answer, kept in the history, so that a replay does not depend on anybody's configuration. */
export type BuryAnswer =
  | {
      decision: 'park';
      letterId: string;
      /** The run that was told; a reset takes the answer along into another one. */
      runId: string;
    }
  | { decision: 'fail' };

/** What is to become of parked steps. */
export interface ParkDecision {
  /**
   * `redrive` schedules the step again; `discard` lets it fail with its own failure; `complete` gives it the signal's second
   * argument as its result, which only the step of a `letterId` takes.
   */
  decision: 'redrive' | 'discard' | 'complete';
  /** Only steps up to this number; with `letterId` the step of this number. @default every step that is parked when the signal arrives */
  burial?: number;
  /** Only steps up to the last one that this run of the chain has parked, in whichever run they wait by now. @default any */
  runId?: string;
  /** Only the step of this letter. @default any */
  letterId?: string;
}
