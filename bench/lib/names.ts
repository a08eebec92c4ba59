/** Where the worker of all contenders polls, in each namespace. */
export const TASK_QUEUE = 'bench';

/** The workflow that does nothing, so that only the scheduling is measured. */
export const WORKFLOW_TYPE = 'noop';

/** The action of every schedule, ours and native. */
export const ACTION = { type: 'startWorkflow', workflowType: WORKFLOW_TYPE, taskQueue: TASK_QUEUE } as const;

let made = 0;

/** A prefix of names that nothing else in this run, or in one before on the same server, has. */
export function freshName(kind: string): string {
  made += 1;
  return `${kind}-${process.pid}-${Date.now().toString(36)}-${made}`;
}
