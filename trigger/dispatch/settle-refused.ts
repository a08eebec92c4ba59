import { recordRejection, type StartableFiring } from '../../store/firings/start';
import type { TemporalCallError } from '../../temporal/port';
import { later, type TriggerContext } from '../context';
import { isChainOf } from '../observe/chain';
import { fieldsOf, giveUp } from '../recover/give-up';
import { linkFound } from '../recover/link-found';

/**
 * Counts a rejection: the start can never be accepted as it is. After the last allowed rejection the reconcile pass
 * abandons the firing, once no earlier call can still succeed.
 */
export async function settleRejected(
  context: TriggerContext,
  firing: StartableFiring,
  error: TemporalCallError,
): Promise<void> {
  const fields = await fieldsOf(context, firing);
  const checkAt = later(context.clock.now(), context.limits.reconcileIntervalMilliseconds);
  if (!(await recordRejection(context.store, firing, error.message, checkAt))) return;
  context.logger.warn('start refused', { ...fields, error: error.message });
}

/**
 * Decides about a firing whose workflow ID is taken by a chain of another request. If the chain was started for this
 * firing, the firing is linked. If a Temporal Schedule of the same name has run this occurrence, the firing is skipped.
 * Otherwise the firing is abandoned.
 */
export async function settleTaken(context: TriggerContext, firing: StartableFiring): Promise<void> {
  const chain = await context.temporal.of(firing.namespace).describeChain(firing.workflowId);
  // The chain has disappeared in the meantime: the reconcile pass decides about the firing later.
  if (!chain) return;
  if (await isChainOf(context, { ...firing, runId: null }, chain)) {
    await linkFound(context, firing, chain.firstRunId);
  } else if (chain.nativeScheduleId === firing.scheduleId) {
    await giveUp(context, firing, { state: 'skipped', reason: 'native' });
  } else {
    await giveUp(context, firing, { state: 'abandoned', reason: 'workflow_id_taken' });
  }
}
