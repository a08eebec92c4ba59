import type { TemporalCaller } from './caller';
import { describeChain } from './chains';
import { reasonOf } from './errors';
import { TemporalCallError, type WorkflowStart } from './port';
import type { ScheduledAttributes } from './scheduled-attributes';
import { type AddedToStart, startRequest } from './start-request';
import { traced } from './tracing';

/** If the server refuses the search attributes of schedules, the start is repeated without them. */
export async function startWorkflow(
  caller: TemporalCaller,
  start: WorkflowStart,
  attributes: ScheduledAttributes,
): Promise<{ runId: string }> {
  const { namespace } = start.firing;
  const scheduled = await attributes.areTakenIn(namespace);
  return traced(start, async (headers) => {
    try {
      return await call(caller, start, { scheduled, headers });
    } catch (error) {
      if (!scheduled || !attributes.wereRefused(namespace, error)) throw error;
      return call(caller, start, { scheduled: false, headers });
    }
  });
}

async function call(caller: TemporalCaller, start: WorkflowStart, added: AddedToStart): Promise<{ runId: string }> {
  const request = buildRequest(start, caller.settings.identity, added);
  const { runId } = await caller.call(() => caller.service.startWorkflowExecution(request), start.lease.left());
  return { runId: start.firing.calledBefore ? await firstRunOf(caller, start, runId) : runId };
}

/**
 * The first run of the chain: if the chain was reset since an earlier call, server 1.32 answers a repeated start with
 * the run that the reset began.
 */
async function firstRunOf(caller: TemporalCaller, { firing }: WorkflowStart, runId: string): Promise<string> {
  const chain = await describeChain(caller, firing.namespace, firing.workflowId, runId);
  return chain?.firstRunId ?? runId;
}

/** Builds the request; a start that cannot be put into a request can never succeed. */
function buildRequest(start: WorkflowStart, identity: string, added: AddedToStart) {
  try {
    return startRequest(start, identity, added);
  } catch (error) {
    throw new TemporalCallError(reasonOf(error), 'rejected', { cause: error, unsent: true });
  }
}
