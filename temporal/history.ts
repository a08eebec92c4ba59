import type { FailedStep } from '../core/letters/failed-step';
import { findResetPoint, type ResetPoint } from '../core/letters/reset-point';
import type { TemporalCaller } from './caller';
import { failedStepOf } from './close-failure';
import { grpcCodeOf, grpcStatus, isMissing } from './errors';

/**
 * How many events at the end of a history are searched for the failed step, on a server that reads histories backwards.
 */
const FAILURE_EVENTS = 100;
const HISTORY_PAGE = 500;

export interface RunName {
  namespace: string;
  execution: { workflowId: string; runId: string };
}

export async function failedStep(caller: TemporalCaller, run: RunName): Promise<FailedStep | undefined> {
  try {
    return failedStepOf(await lastEvents(caller, run), run.execution.runId);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export async function resetPoint(
  caller: TemporalCaller,
  run: RunName,
  eventId?: number,
  betweenPages?: () => Promise<void>,
): Promise<ResetPoint | undefined> {
  try {
    return await findResetPoint(historyBackwards(caller, run, betweenPages), eventId);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** The end of a history, newest event first. */
async function lastEvents(caller: TemporalCaller, run: RunName) {
  const { service } = caller;
  try {
    const request = { ...run, maximumPageSize: FAILURE_EVENTS };
    const response = await caller.call(() => service.getWorkflowExecutionHistoryReverse(request));
    return response.history?.events ?? [];
  } catch (error) {
    if (grpcCodeOf(error) !== grpcStatus.UNIMPLEMENTED) throw error;
  }
  // The time-skipping server returns histories only as a whole, oldest event first.
  const response = await caller.call(() => service.getWorkflowExecutionHistory(run));
  return (response.history?.events ?? []).reverse();
}

async function* historyBackwards(caller: TemporalCaller, run: RunName, betweenPages = async () => {}) {
  let nextPageToken: Uint8Array | undefined;
  do {
    const request = { ...run, maximumPageSize: HISTORY_PAGE, nextPageToken };
    const response = await caller.call(() => caller.service.getWorkflowExecutionHistoryReverse(request));
    yield* response.history?.events ?? [];
    nextPageToken = response.nextPageToken?.length ? response.nextPageToken : undefined;
    if (nextPageToken) await betweenPages();
  } while (nextPageToken);
}
