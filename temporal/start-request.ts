import { compilePriority, compileRetryPolicy, defaultPayloadConverter, type Payload } from '@temporalio/common';
import { msOptionalToTs, msToTs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import { type EncodedPayload, OUR_MEMO_KEY, type StoredAction } from '../core/definition/definition';
import { type StoredSearchAttributes, searchAttributePayloads } from '../core/definition/search-attributes';
import type { WorkflowStart } from './port';
import { scheduledAttributes } from './scheduled-attributes';
import type { TraceHeaders } from './tracing';
import { versioningOverrideOf } from './versioning';

const { WorkflowIdReusePolicy } = temporal.api.enums.v1;
const { Payload: PayloadMessage, Payloads } = temporal.api.common.v1;

export interface AddedToStart {
  /** Whether to add the search attributes by which Temporal finds the workflows of a schedule. */
  scheduled: boolean;
  /** The headers that carry the start's span to the workflow. */
  headers: TraceHeaders;
}

/**
 * The raw start request of a firing. `REJECT_DUPLICATE` makes the server refuse a second chain with the workflow ID,
 * whether the first one runs or has closed, as long as the server remembers the first. A repeated call with the same
 * request ID is answered with a run of the first call's chain. After a retry or continue-as-new, it is answered that
 * the workflow ID is taken.
 */
export function startRequest(
  start: Omit<WorkflowStart, 'policies' | 'lease'>,
  identity: string,
  { scheduled, headers }: AddedToStart,
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
    // The process that registered the schedule has encoded the arguments; if a codec encrypted them, they stay
    // encrypted.
    input: start.args ? Payloads.decode(start.args) : undefined,
    // Temporal counts this timeout from the call, not from the end of the start delay.
    workflowExecutionTimeout: msOptionalToTs(plus(action.workflowExecutionTimeout, start.delayMilliseconds)),
    workflowRunTimeout: msOptionalToTs(action.workflowRunTimeout),
    workflowTaskTimeout: msOptionalToTs(action.workflowTaskTimeout),
    retryPolicy: action.retry ? compileRetryPolicy(action.retry) : undefined,
    workflowStartDelay: start.delayMilliseconds > 0 ? msToTs(start.delayMilliseconds) : undefined,
    memo: { fields: { ...memoFields(action), [OUR_MEMO_KEY]: defaultPayloadConverter.toPayload(start.memo) } },
    searchAttributes: searchAttributesOf(action, scheduled ? scheduledAttributes(firing) : {}),
    userMetadata: {
      summary: action.staticSummary ? payload(action.staticSummary) : defaultPayloadConverter.toPayload(start.summary),
      details: action.staticDetails ? payload(action.staticDetails) : undefined,
    },
    header: headerOf(action, headers),
    priority: action.priority ? compilePriority(action.priority) : undefined,
    versioningOverride: start.versioningOverride && versioningOverrideOf(start.versioningOverride),
  };
}

function headerOf({ headers = {} }: StoredAction, added: TraceHeaders) {
  const fields = { ...payloads(headers), ...added };
  return Object.keys(fields).length > 0 ? { fields } : undefined;
}

function plus(timeout: number | undefined, delay: number): number | undefined {
  return timeout === undefined ? undefined : timeout + delay;
}

function memoFields({ memo = {} }: StoredAction): Record<string, Payload> {
  return payloads(memo);
}

function payloads(texts: Record<string, EncodedPayload>): Record<string, Payload> {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, payload(text)]));
}

function searchAttributesOf(action: StoredAction, scheduled: StoredSearchAttributes) {
  const indexedFields = searchAttributePayloads({ ...action.searchAttributes, ...scheduled });
  return Object.keys(indexedFields).length > 0 ? { indexedFields } : undefined;
}

function payload(text: EncodedPayload): Payload {
  return PayloadMessage.decode(Buffer.from(text, 'base64'));
}
