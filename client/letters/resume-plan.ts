import { type Client, isGrpcServiceError } from '@temporalio/client';
import { findResetPoint, parkedEventOf, type Step } from '../../core/letters/reset-point';
import type { DeadLetter } from '../../store/letters/read-letters';
import { CannotResumeError } from './errors';

const NOT_FOUND = 5;
/** DEADLINE_EXCEEDED, PERMISSION_DENIED, UNAVAILABLE and UNAUTHENTICATED. */
const AWAY = [4, 7, 14, 16];
const HISTORY_PAGE = 500;
/** Temporal also answers NOT_FOUND if the namespace is missing; such an answer says nothing about the workflow. */
const NAMESPACE_NOT_FOUND = /^Namespace \S+ is not found/;

/** What a resume of a chain would run again, as read from the chain's history. */
export interface ResumePlan {
  /** The step that failed; undefined if the workflow failed by itself, or is running again. */
  step: Step | undefined;
  /**
   * Other steps that would run again, and a failed child workflow or Nexus operation, which runs again from its
   * beginning.
   */
  siblings: Step[];
}

/** How long a redrive waits for Temporal to say what would run again. */
const PLAN_WITHIN_MILLISECONDS = 5_000;

/** @param onDescribed called when Temporal has described the chain, so that its namespace is not away */
export function planWithin(temporal: Client, letter: DeadLetter, onDescribed?: () => void): Promise<ResumePlan> {
  return temporal.withDeadline(Date.now() + PLAN_WITHIN_MILLISECONDS, () => planResume(temporal, letter, onDescribed));
}

/** Whether a failed call says that Temporal cannot be reached, refuses the caller, or lacks the namespace. */
export function isAway(error: unknown): boolean {
  if (!isGrpcServiceError(error)) return false;
  return AWAY.includes(error.code) || (error.code === NOT_FOUND && NAMESPACE_NOT_FOUND.test(error.details));
}

/**
 * Finds out which steps run again if the chain of a letter is resumed. If the chain is running, since somebody has
 * reset it, nothing would run again.
 *
 * @throws {CannotResumeError}
 */
async function planResume(temporal: Client, letter: DeadLetter, onDescribed?: () => void): Promise<ResumePlan> {
  const chain = await describeChain(temporal, letter);
  onDescribed?.();
  if (chain?.firstRunId !== letter.runId) throw new CannotResumeError(letter.letterId, 'gone');
  if (chain.isRunning) return { step: undefined, siblings: [] };
  const point = await findResetPoint(
    historyBackwards(temporal, letter, chain.runId),
    parkedEventOf(letter.failedStep, chain.runId),
  );
  if (!point) throw new CannotResumeError(letter.letterId, 'no_step');
  return { step: point.step, siblings: point.siblings };
}

async function describeChain(temporal: Client, { namespace, workflowId }: DeadLetter) {
  try {
    const { workflowExecutionInfo: info } = await temporal.workflowService.describeWorkflowExecution({
      namespace,
      execution: { workflowId },
    });
    const runId = info!.execution!.runId!;
    return { runId, firstRunId: info!.firstRunId || runId, isRunning: !info!.closeTime };
  } catch (error) {
    if (!isGrpcServiceError(error) || error.code !== NOT_FOUND || isAway(error)) throw error;
    return undefined;
  }
}

async function* historyBackwards(temporal: Client, { namespace, workflowId }: DeadLetter, runId: string) {
  let nextPageToken: Uint8Array | undefined;
  do {
    const response = await temporal.workflowService.getWorkflowExecutionHistoryReverse({
      namespace,
      execution: { workflowId, runId },
      maximumPageSize: HISTORY_PAGE,
      nextPageToken,
    });
    yield* response.history?.events ?? [];
    nextPageToken = response.nextPageToken?.length ? response.nextPageToken : undefined;
  } while (nextPageToken);
}
