import { type FiringKey, isFailure } from '../../core/firing';
import type { FailedStep } from '../../core/letters/failed-step';
import { withKeptText } from '../../core/letters/failure-text';
import type { ClosedFiring } from '../../store/firings/close';
import { isRefused } from '../../temporal/errors';
import { type Chain, type StalledReason, TemporalCallError } from '../../temporal/port';
import type { TriggerContext } from '../context';
import { isDeleted } from '../refused-namespaces';
import { retentionOf } from './namespace-retention';

/**
 * While the failed step of an end cannot be read, the end stays unrecorded for at most this long. The first limit
 * applies if Temporal refuses the history, the second if it does not answer. There is no limit while the server is
 * busy, or the namespace is away.
 */
const REFUSED_AT_MOST_MILLISECONDS = 600_000;
const UNREADABLE_AT_MOST_MILLISECONDS = 24 * 60 * 60 * 1_000;

export interface ChainReference extends FiringKey {
  namespace: string;
  workflowId: string;
  /** The run ID of the first run, once the firing is linked. */
  runId: string | null;
  epoch: number;
}

export type ChainState =
  | { state: 'running'; runId: string; stalled: StalledReason | undefined }
  | { state: 'closed'; closed: ClosedFiring }
  | { state: 'missing' };

/**
 * Look up the chain of a firing in Temporal, by the workflow ID alone. Temporal's answer is then about the chain's
 * current run, after any retries, continue-as-new and resets. If another chain has the ID by now, a linked firing's
 * first run is looked up. If Temporal knows no such run, or only that it continued as new, or the namespace counts as
 * deleted, a linked firing ends with the outcome `unknown`.
 *
 * @throws {TemporalCallError} if Temporal does not answer, or refuses
 */
export async function lookUpChain(context: TriggerContext, firing: ChainReference): Promise<ChainState> {
  const namespace = context.temporal.of(firing.namespace);
  // Recovery gives up a firing that is not linked yet, with a dead letter.
  if (firing.runId !== null && !(await namespace.isReady()) && isDeleted(context, firing.namespace)) {
    return { state: 'closed', closed: { ...endOf(context, firing, firing.runId), mayRun: true } };
  }
  const current = await namespace.describeChain(firing.workflowId);
  if (current && (await isChainOf(context, firing, current))) return stateOf(context, firing, current);
  if (firing.runId === null) return { state: 'missing' };
  const own = current && (await namespace.describeChain(firing.workflowId, firing.runId));
  return closedAs(context, firing, own, firing.runId);
}

/** Whether the chain was started for this firing. */
export function isOf({ installationId }: TriggerContext, firing: ChainReference, chain: Chain): boolean {
  if (firing.runId !== null) return chain.firstRunId === firing.runId;
  const { memo } = chain;
  return (
    memo?.installation === installationId &&
    memo.scheduleId === firing.scheduleId &&
    memo.scheduledTime === firing.scheduledTime.toISOString() &&
    memo.epoch === firing.epoch
  );
}

/**
 * Like {@link isOf}. For a firing that is not linked, it is also true if the current run has no memo of a firing, and
 * the memo of the chain's first run names this firing.
 */
export async function isChainOf(context: TriggerContext, firing: ChainReference, chain: Chain): Promise<boolean> {
  if (isOf(context, firing, chain)) return true;
  if (firing.runId !== null || chain.memo || chain.runId === chain.firstRunId) return false;
  const first = await context.temporal.of(firing.namespace).describeChain(firing.workflowId, chain.firstRunId);
  return first !== undefined && isOf(context, firing, first);
}

function stateOf(context: TriggerContext, firing: ChainReference, chain: Chain): ChainState | Promise<ChainState> {
  if (!chain.outcome) return { state: 'running', runId: chain.firstRunId, stalled: chain.stalled };
  return closedAs(context, firing, chain, chain.firstRunId);
}

function endOf({ clock }: TriggerContext, firing: ChainReference, runId: string, chain?: Chain): ClosedFiring {
  const { scheduleId, scheduledTime, epoch } = firing;
  const { outcome = 'unknown', closedAt = new Date(clock.now()) } = chain ?? {};
  const endedRunId = chain?.runId ?? null;
  return { scheduleId, scheduledTime, epoch, outcome, closedAt, runId, endedRunId, failedStep: undefined };
}

async function closedAs(
  context: TriggerContext,
  firing: ChainReference,
  chain: Chain | undefined,
  runId: string,
): Promise<ChainState> {
  const { namespace, workflowId } = firing;
  const closed = endOf(context, firing, runId, chain);
  const { outcome, closedAt } = closed;
  if (!chain || outcome === 'completed') return { state: 'closed', closed };
  const failedStep = isFailure(outcome)
    ? await readFailedStep(context, { namespace, workflowId, runId: chain.runId, closedAt })
    : undefined;
  const retention = await retentionOf(context, namespace);
  const resumeUntil = retention === undefined ? null : new Date(closedAt.getTime() + retention);
  return { state: 'closed', closed: { ...closed, failedStep, resumeUntil } };
}

async function readFailedStep(
  { temporal, clock, failureTexts }: TriggerContext,
  { namespace, workflowId, runId, closedAt }: { namespace: string; workflowId: string; runId: string; closedAt: Date },
): Promise<FailedStep | undefined> {
  try {
    const step = await temporal.of(namespace).failedStep(workflowId, runId);
    return step && withKeptText(step, failureTexts);
  } catch (error) {
    if (!(error instanceof TemporalCallError) || error.kind === 'busy' || error.ofNamespace) throw error;
    const atMost = isRefused(error) ? REFUSED_AT_MOST_MILLISECONDS : UNREADABLE_AT_MOST_MILLISECONDS;
    if (clock.now() - closedAt.getTime() > atMost) return undefined;
    throw error;
  }
}
