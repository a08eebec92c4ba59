import type { WorkflowInterceptors } from '@temporalio/workflow';

/** An interceptor of a user, which adds an argument to each step. */
export const interceptors = (): WorkflowInterceptors => ({
  outbound: [{ scheduleActivity: (input, next) => next({ ...input, args: ['tenant', ...input.args] }) }],
});
