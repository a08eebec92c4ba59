import type { ScheduleOptionsStartWorkflowAction as TemporalStartWorkflowAction } from '@temporalio/client';
import type { Duration, Priority, WithWorkflowArgs, Workflow } from '@temporalio/common';

/**
 * The settings of a workflow start that do not depend on the workflow type. With a separate type for them, the compiler
 * infers the workflow type faster.
 */
interface StartWorkflowSettings extends Omit<TemporalStartWorkflowAction<Workflow>, 'workflowType' | 'args'> {
  /** Priority of the workflow's tasks, if the server supports priorities. @default Temporal's default priority */
  priority?: Priority | undefined;
  /**
   * A chain that still runs after this time gets a cancellation request, so that it can clean up. The time counts from
   * when the ledger records the start; for a firing that was handed over ahead, from its start time.
   *
   * @default undefined: never
   * @format number of milliseconds or ms-formatted string
   */
  softTimeout?: Duration;
}

/**
 * Start a workflow, as in Temporal's `startWorkflow` action. `args`, `memo`, `staticSummary` and `staticDetails` are
 * encoded at registration by the client's data converter and codec. The encoded values reach the workflow unchanged.
 *
 * @see https://typescript.temporal.io/api/namespaces/client#scheduleoptionsstartworkflowaction
 */
export type ScheduleOptionsStartWorkflowAction<W extends Workflow = Workflow> = WithWorkflowArgs<
  W,
  StartWorkflowSettings & {
    /** The workflow function, or the name of the workflow type. */
    workflowType: string | W;
  }
>;

/** What a schedule does when it fires. */
export type ScheduleOptionsAction = ScheduleOptionsStartWorkflowAction<Workflow>;

/** A shorter name for {@link ScheduleOptionsStartWorkflowAction}. */
export type ScheduleAction<W extends Workflow = Workflow> = ScheduleOptionsStartWorkflowAction<W>;
