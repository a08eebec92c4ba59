import { randomUUID } from 'node:crypto';
import { defaultPayloadConverter, type RetryPolicy, toPayloads } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { CallLease } from '../../temporal/call-lease';
import type { WorkflowStart } from '../../temporal/port';
import { uniqueName } from '../support/ledger';

/** What a start has instead of the usual. */
export interface StartChanges {
  workflowId?: string;
  args?: unknown[];
  retry?: RetryPolicy | undefined;
}

/** A start of a workflow, as a trigger asks for it. */
export function startOf(taskQueue: string, workflowType: string, changes: StartChanges = {}): WorkflowStart {
  const scheduledTime = new Date('2026-03-01T00:00:00Z');
  const key = { scheduleId: 'schedule', scheduledTime };
  const { workflowId = uniqueName('double'), args = [] } = changes;
  const usual = workflowType === 'failsTwice' ? { initialInterval: 1, maximumAttempts: 3 } : undefined;
  const retry = 'retry' in changes ? changes.retry : usual;
  const payloads = toPayloads(defaultPayloadConverter, ...args);
  return {
    firing: { ...key, workflowId, namespace: 'default', kind: 'schedule', epoch: 0 } as WorkflowStart['firing'],
    action: { type: 'startWorkflow', workflowType, taskQueue, ...(retry ? { retry } : {}) },
    policies: {} as WorkflowStart['policies'],
    args: payloads ? temporal.api.common.v1.Payloads.encode({ payloads }).finish() : null,
    requestId: randomUUID(),
    summary: 'a test',
    memo: {
      ...key,
      scheduledTime: scheduledTime.toISOString(),
      installation: randomUUID(),
      kind: 'schedule',
      startAttempt: 1,
      epoch: 0,
    },
    delayMilliseconds: 0,
    lease: new CallLease(8_000),
  };
}
