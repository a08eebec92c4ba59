import { randomUUID } from 'node:crypto';
import { encodeScheduleSpec } from '@temporalio/client/lib/schedule-helpers';
import { msToTs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import type { EncodedPayload } from '../../core/definition/definition';
import { searchAttributePayloads } from '../../core/definition/search-attributes';
import type { ScheduleSpec, ScheduleSpecDescription } from '../../core/schedule/spec';
import type { ScheduleRow } from '../../store/reads/read-schedules';
import { startRequest } from '../../temporal/start-request';

const { Payload } = temporal.api.common.v1;
const { ScheduleOverlapPolicy } = temporal.api.enums.v1;
type Create = temporal.api.workflowservice.v1.ICreateScheduleRequest;

/** The request that creates a paused Temporal schedule. The encoded arguments and memo stay as they are. */
export function nativeRequest(row: ScheduleRow, spec: ScheduleSpecDescription, identity: string): Create {
  const { namespace, scheduleId, policies, note } = row;
  return {
    ...{ namespace, scheduleId, identity, requestId: randomUUID() },
    schedule: {
      spec: encodeScheduleSpec(spec as ScheduleSpec),
      action: { startWorkflow: workflowOf(row, identity) },
      policies: {
        overlapPolicy: ScheduleOverlapPolicy[`SCHEDULE_OVERLAP_POLICY_${policies.overlap}`],
        catchupWindow: msToTs(policies.catchupWindow),
        pauseOnFailure: policies.pauseOnFailure,
      },
      state: {
        paused: true,
        notes: note ?? '',
        ...(row.remainingActions === null
          ? {}
          : { limitedActions: true, remainingActions: row.remainingActions as never }),
      },
    },
    memo: row.memo ? { fields: payloads(row.memo) } : undefined,
    searchAttributes: row.searchAttributes
      ? { indexedFields: searchAttributePayloads(row.searchAttributes) }
      : undefined,
  };
}

/** The workflow has the same memo as a firing of the ledger, without the part about a single firing. */
function workflowOf(row: ScheduleRow, identity: string) {
  const { scheduleId, namespace, action } = row;
  const workflowId = action.workflowId ?? `${scheduleId}-workflow`;
  const firing = { namespace, scheduleId, workflowId } as never;
  const start = { firing, action, args: row.args, requestId: '', delayMilliseconds: 0, memo: {} as never, summary: '' };
  const request = startRequest(start as never, identity, { scheduled: false, headers: {} });
  const { workflowType, taskQueue, input, retryPolicy, searchAttributes, header, priority } = request;
  const { workflowExecutionTimeout, workflowRunTimeout, workflowTaskTimeout } = request;
  return {
    ...{ workflowId, workflowType, taskQueue, input, retryPolicy, searchAttributes, header, priority },
    ...{ workflowExecutionTimeout, workflowRunTimeout, workflowTaskTimeout },
    memo: action.memo ? { fields: payloads(action.memo) } : undefined,
    userMetadata: {
      summary: action.staticSummary ? payload(action.staticSummary) : undefined,
      details: action.staticDetails ? payload(action.staticDetails) : undefined,
    },
  };
}

function payloads(texts: Record<string, EncodedPayload>) {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, payload(text)]));
}

function payload(text: EncodedPayload) {
  return Payload.decode(Buffer.from(text, 'base64'));
}
