import type { TemporalCaller } from './caller';
import { reasonOf } from './errors';
import { TemporalCallError, type WorkflowStart } from './port';
import type { ScheduledAttributes } from './scheduled-attributes';
import { startRequest } from './start-request';

/** The one call that starts a workflow; again without the search attributes of schedules where the server refuses them. */
export async function startWorkflow(
  caller: TemporalCaller,
  start: WorkflowStart,
  attributes: ScheduledAttributes,
): Promise<{ runId: string }> {
  const { namespace } = start.firing;
  const scheduled = await attributes.areTakenIn(namespace);
  try {
    return await call(caller, start, scheduled);
  } catch (error) {
    if (!scheduled || !attributes.wereRefused(namespace, error)) throw error;
    return call(caller, start, false);
  }
}

async function call(caller: TemporalCaller, start: WorkflowStart, scheduled: boolean): Promise<{ runId: string }> {
  const request = buildRequest(start, caller.settings.identity, scheduled);
  const response = await caller.call(() => caller.service.startWorkflowExecution(request), start.lease.left());
  return { runId: response.runId };
}

/** What cannot even be put into a request will never be started. */
function buildRequest(start: WorkflowStart, identity: string, scheduled: boolean) {
  try {
    return startRequest(start, identity, scheduled);
  } catch (error) {
    throw new TemporalCallError(reasonOf(error), 'rejected', { cause: error });
  }
}
