import { startRequest } from './start-request';
import { TemporalCallError, type WorkflowStart } from './temporal';
import type { TemporalCaller } from './temporal-caller';
import { reasonOf } from './temporal-errors';

/** The one call that starts a workflow. */
export async function startWorkflow(caller: TemporalCaller, start: WorkflowStart): Promise<{ runId: string }> {
  const request = buildRequest(start, caller.settings.identity);
  const response = await caller.call(() => caller.service.startWorkflowExecution(request), start.lease.left());
  return { runId: response.runId };
}

/** What cannot even be put into a request will never be started. */
function buildRequest(start: WorkflowStart, identity: string) {
  try {
    return startRequest(start, identity);
  } catch (error) {
    throw new TemporalCallError(reasonOf(error), 'rejected', { cause: error });
  }
}
