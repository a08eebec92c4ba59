/** The task queue that the worker of all contenders polls, in each namespace. */
export const TASK_QUEUE = 'bench';

/** A workflow that does nothing, so that only the scheduling is measured. */
export const WORKFLOW_TYPE = 'noop';

/** The action of every schedule, in Escapement and in Temporal's own Schedules. */
export const ACTION = { type: 'startWorkflow', workflowType: WORKFLOW_TYPE, taskQueue: TASK_QUEUE } as const;

let made = 0;

/** A prefix for names that is unique in this run and on this server. */
export function freshName(kind: string): string {
  made += 1;
  return `${kind}-${process.pid}-${Date.now().toString(36)}-${made}`;
}
