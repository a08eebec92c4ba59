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
  /** The letter of a step that was tried again: it is opened again. Of a step that waits already, the letter that it has. */
  letterId?: string;
  /** Of a step that waits already: its letter is made sure of. */
  again?: {
    /** The run that its letter names; absent of what an older version wrote. */
    runId?: string;
    /** The workflow's time when it was asked, in epoch milliseconds. */
    askedAt: number;
  };
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

/**
 * Argument of {@link PARK_SIGNAL} that decides nothing: the run makes sure of the letters of its parked steps, which the ledger may
 * have lost. A worker of a version before leaves it alone.
 */
export const BURY_AGAIN = { decision: 'bury' } as const;

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
