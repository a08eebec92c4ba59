import { type DecidedOn, giveUpFiring } from '../../store/firings/give-up';
import { linkFirings, recordRejection, type StartableFiring, type StartedFiring } from '../../store/firings/start';
import { readFiring } from '../../store/reads/read-firings';
import type { TemporalCallError } from '../../temporal/port';
import { cancelAtOf } from '../claim/soft-timeout';
import { firingFields, later, type TriggerContext } from '../context';
import { dueAtOf } from '../definitions';
import { logLetters } from '../log-letters';
import { isChainOf } from '../observe/chain';

/**
 * Counts a refusal that is final: Temporal will never accept this start. After the last allowed refusal the reconcile
 * pass abandons the firing, once no earlier call can still succeed.
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
 * Decides about a firing whose workflow ID another request's chain has. If the chain is this firing's own and Temporal
 * has forgotten the request ID, the chain is linked. If a Temporal Schedule of the same name has run this occurrence,
 * the firing is skipped. In all other cases the firing is abandoned.
 */
export async function settleTaken(context: TriggerContext, firing: StartableFiring): Promise<void> {
  const chain = await context.temporal.of(firing.namespace).describeChain(firing.workflowId);
  // The chain has disappeared in the meantime: the reconcile pass calls start again.
  if (!chain) return;
  if (await isChainOf(context, { ...firing, runId: null }, chain)) {
    await adopt(context, firing, chain.firstRunId);
  } else if (chain.nativeScheduleId === firing.scheduleId) {
    await giveUp(context, firing, { state: 'skipped', reason: 'native' });
  } else {
    await giveUp(context, firing, { state: 'abandoned', reason: 'workflow_id_taken' });
  }
}

/** claimed → linked with a chain that was found in Temporal. */
export async function adopt(context: TriggerContext, firing: StartableFiring, runId: string): Promise<void> {
  const now = context.clock.now();
  const definition = (await context.definitions.load(context.store, [firing]))(firing);
  const started = { ...firing, runId, cancelAt: cancelAtOf(context, definition, firing), pollAfterMilliseconds: 0 };
  await linkFirings(context.store, [started], new Date(now));
  const lagMilliseconds = context.metrics.linked(firing, {
    at: now,
    dueAt: dueAtOf(definition, firing.scheduledTime),
  });
  const milliseconds = now - firing.claimedAt.getTime();
  const recovery = firing.recovery ? { recovery: firing.recovery } : {};
  context.logger.info('linked', { ...firingFields(firing), runId, milliseconds, lagMilliseconds, ...recovery });
}

/**
 * claimed → abandoned | skipped, with the reason. @returns whether the row was changed; if not, the firing is checked
 * again
 */
export async function giveUp(
  context: TriggerContext,
  firing: StartableFiring,
  end: { state: 'abandoned' | 'skipped'; reason: string },
  decidedOn?: DecidedOn,
): Promise<boolean> {
  const fields = await fieldsOf(context, firing);
  const now = context.clock.now();
  const done = await giveUpFiring(context.store, firing, end, new Date(now), decidedOn);
  if (!done) return false;
  const milliseconds = now - firing.claimedAt.getTime();
  const meta = { ...fields, reason: end.reason, milliseconds };
  context.metrics.notStarted(end.state, firing, end.reason);
  if (end.state === 'abandoned') context.logger.error('abandoned', meta);
  else context.logger.info('skipped', meta);
  logLetters(context, done.letters);
  return true;
}

/**
 * The log fields of the firing: its schedule, and the namespace and task queue of its start. These fields are read
 * before any row is written, so that no log line about a written row is lost.
 */
async function fieldsOf(context: TriggerContext, firing: StartableFiring) {
  const definition = (await context.definitions.load(context.store, [firing]))(firing);
  return { ...firingFields(firing), namespace: firing.namespace, taskQueue: definition.action.taskQueue };
}

/**
 * Logs that a workflow was started although the firing's row was no longer claimed. Usually another trigger has linked
 * the same run, so nothing is wrong.
 */
export async function reportUnlinked(context: TriggerContext, started: StartedFiring): Promise<void> {
  const row = await readFiring(context.store, started.scheduleId, started.scheduledTime);
  if (row?.runId === started.runId) return;
  context.logger.error('a workflow runs although its firing was abandoned', {
    ...firingFields(started),
    runId: started.runId,
    state: row?.state,
    reason: row?.reason,
  });
}
