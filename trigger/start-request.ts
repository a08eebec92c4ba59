import { compileRetryPolicy, defaultPayloadConverter } from '@temporalio/common';
import { msOptionalToTs, msToTs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import type { WorkflowStart } from './temporal';

const { WorkflowIdReusePolicy } = temporal.api.enums.v1;

/**
 * The raw start request of a firing. `REJECT_DUPLICATE` refuses a second chain under the workflow ID, running or closed;
 * the request ID makes a repeated call return the first one's run.
 */
export function startRequest(
  start: WorkflowStart,
  identity: string,
): temporal.api.workflowservice.v1.IStartWorkflowExecutionRequest {
  const { firing, action } = start;
  return {
    namespace: firing.namespace,
    workflowId: firing.workflowId,
    requestId: start.requestId,
    workflowIdReusePolicy: WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
    identity,
    workflowType: { name: action.workflowType },
    taskQueue: { name: action.taskQueue },
    // The arguments were encoded by whoever registered them; a codec's ciphertext stays ciphertext.
    input: start.args ? temporal.api.common.v1.Payloads.decode(start.args) : undefined,
    // Temporal counts it from the call, not from the end of the delay.
    workflowExecutionTimeout: msOptionalToTs(plus(action.workflowExecutionTimeout, start.delayMilliseconds)),
    workflowRunTimeout: msOptionalToTs(action.workflowRunTimeout),
    workflowTaskTimeout: msOptionalToTs(action.workflowTaskTimeout),
    retryPolicy: action.retry ? compileRetryPolicy(action.retry) : undefined,
    workflowStartDelay: start.delayMilliseconds > 0 ? msToTs(start.delayMilliseconds) : undefined,
    memo: { fields: { escapement: defaultPayloadConverter.toPayload(start.memo) } },
    userMetadata: { summary: defaultPayloadConverter.toPayload(start.summary) },
  };
}

function plus(timeout: number | undefined, delay: number): number | undefined {
  return timeout === undefined ? undefined : timeout + delay;
}
