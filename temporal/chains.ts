import { defaultPayloadConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type { TemporalCaller } from './caller';
import { chainOf } from './described-chain';
import { grpcCodeOf, grpcStatus, isMissing } from './errors';
import { type Chain, type ChainTarget, type RunReset, type RunSignal, TemporalCallError } from './port';
import { moveTo } from './versioning';

const { Payload } = temporal.api.common.v1;

export async function describeChain(
  caller: TemporalCaller,
  namespace: string,
  workflowId: string,
  runId?: string,
): Promise<Chain | undefined> {
  try {
    const request = { namespace, execution: { workflowId, runId } };
    const response = await caller.call(() => caller.service.describeWorkflowExecution(request));
    return chainOf(response, caller.settings);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export async function requestCancel(
  caller: TemporalCaller,
  target: ChainTarget,
  request: { requestId: string; reason: string },
): Promise<void> {
  await interrupt(() =>
    caller.call(() => caller.service.requestCancelWorkflowExecution({ ...interruptOf(caller, target), ...request })),
  );
}

export async function terminate(
  caller: TemporalCaller,
  target: ChainTarget,
  { reason }: { reason: string },
): Promise<void> {
  await interrupt(() =>
    caller.call(() => caller.service.terminateWorkflowExecution({ ...interruptOf(caller, target), reason })),
  );
}

export async function reset(
  caller: TemporalCaller,
  { namespace, workflowId, runId, eventId, requestId, reason, versioningOverride }: RunReset,
): Promise<{ runId: string } | undefined> {
  const request = temporal.api.workflowservice.v1.ResetWorkflowExecutionRequest.fromObject({
    ...{ namespace, requestId, reason, workflowExecution: { workflowId, runId } },
    workflowTaskFinishEventId: eventId,
    postResetOperations: versioningOverride ? [{ updateWorkflowOptions: moveTo(versioningOverride) }] : [],
  });
  try {
    const response = await caller.call(() => caller.service.resetWorkflowExecution(request));
    return { runId: response.runId };
  } catch (error) {
    if (isMissing(error)) return undefined;
    // The time-skipping server cannot reset workflows.
    if (grpcCodeOf(error) !== grpcStatus.UNIMPLEMENTED) throw error;
    throw new TemporalCallError('this Temporal server cannot reset a workflow', 'rejected', { cause: error });
  }
}

export async function signal(
  caller: TemporalCaller,
  { namespace, workflowId, runId, name, argument, encoded, requestId, versioningOverride }: RunSignal,
): Promise<boolean> {
  const second = encoded === undefined ? [] : [Payload.decode(Buffer.from(encoded, 'base64'))];
  const input = { payloads: [defaultPayloadConverter.toPayload(argument), ...second] };
  const { identity } = caller.settings;
  const workflowExecution = { workflowId, runId };
  try {
    if (versioningOverride) {
      const update = { namespace, workflowExecution, identity, ...moveTo(versioningOverride) };
      await caller.call(() => caller.service.updateWorkflowExecutionOptions(update));
    }
    await caller.call(() =>
      caller.service.signalWorkflowExecution({
        ...{ namespace, workflowExecution, signalName: name, input, identity, requestId },
      }),
    );
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function interruptOf({ settings }: TemporalCaller, { namespace, workflowId, firstRunId }: ChainTarget) {
  const { identity } = settings;
  return { namespace, workflowExecution: { workflowId }, firstExecutionRunId: firstRunId, identity };
}

/** A workflow that has ended, or that Temporal no longer knows, cannot be interrupted, and need not be. */
async function interrupt(call: () => Promise<unknown>): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
