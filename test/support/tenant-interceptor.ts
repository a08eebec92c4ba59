import type { WorkflowInterceptors } from '@temporalio/workflow';

/** As a user's own may do: gives each step an argument more. */
export const interceptors = (): WorkflowInterceptors => ({
  outbound: [{ scheduleActivity: (input, next) => next({ ...input, args: ['tenant', ...input.args] }) }],
});
