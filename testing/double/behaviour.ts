import type { Duration } from '@temporalio/common';
import { z } from 'zod';
import type { FiringOutcome } from '../../core/firing';
import { durationOrNone } from '../../core/option-fields';
import { checkOptions, type FieldsOf } from '../../core/options';

/** How a double simulates the workflows of one type. */
export interface DoubleBehaviour {
  /**
   * The duration of each run, by the clock of the double. With `Number.POSITIVE_INFINITY`, a run lasts until a test,
   * the trigger or a timeout ends it.
   *
   * @default 0
   * @format number of milliseconds or ms-formatted string
   */
  takes?: Duration;
  /**
   * The number of runs of each chain that fail before one succeeds; `true` for all runs, unless `outcome` is given. As
   * on a server, the action's retry policy decides whether another run follows a failure. Without a retry policy, the
   * first failure ends the chain.
   *
   * @default 0
   */
  fails?: number | true;
  /** The number of runs that continue as new, after the runs that fail. @default 0 */
  continues?: number;
  /**
   * How the chain ends, unless a failed run or a timeout ends it before. @default 'completed', and 'failed' with
   * `fails: true`
   */
  outcome?: Exclude<FiringOutcome, 'unknown'>;
  /** The reaction of a workflow to a cancel request: `honour` ends the chain at once. @default 'honour' */
  onCancel?: 'honour' | 'ignore';
}

const behaviourFields = z.strictObject({
  takes: durationOrNone.or(z.literal(Number.POSITIVE_INFINITY)).optional(),
  fails: z.union([z.int().min(0), z.literal(true)], { error: 'is neither a whole number from 0 nor true' }).optional(),
  continues: z.int().min(0).optional(),
  outcome: z.enum(['completed', 'failed', 'timed_out', 'canceled', 'terminated']).optional(),
  onCancel: z.enum(['honour', 'ignore']).optional(),
} satisfies FieldsOf<DoubleBehaviour>);

export function checkBehaviour(behaviour: unknown): void {
  checkOptions(behaviourFields, behaviour);
}
