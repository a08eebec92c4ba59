import { PARK_SIGNAL, type ParkDecision } from '../../core/letters/park';
import { recordDecision, settleByEnd } from '../../store/letters/carry-out-redrive';
import { announceDecision, type PendingRedrive } from '../../store/letters/redrive';
import type { RunSignal } from '../../temporal/port';
import type { TriggerContext } from '../context';
import { logLetters } from '../log-letters';
import { isOf } from '../observe/chain';
import { isDeleted } from '../refused-namespaces';
import { type End, logRedriven, logRefusal, refuse, unanswered, waitForEnd, waitItsTurn } from './refuse-or-postpone';

/**
 * Sends a decision about a parked step to its running workflow: the step runs again, fails, or returns a given result.
 * A repeated decision has no further effect, since it names the step that it is for.
 */
export async function decideParked(context: TriggerContext, pending: PendingRedrive): Promise<End> {
  const { namespace, workflowId, parked, request } = pending;
  if (!parked) return refuse(context, pending, 'its step no longer waits');
  const { burial, runId } = parked;
  const { mode, result: encoded, requestId, versioningOverride } = request;
  const what = mode === 'complete' ? mode : mode === 'continue' ? 'redrive' : 'discard';
  const decision: ParkDecision = { decision: what, burial, runId, letterId: pending.letterId };
  const signal = {
    namespace,
    workflowId,
    name: PARK_SIGNAL,
    argument: decision,
    encoded,
    requestId,
    versioningOverride,
  };
  try {
    const told = await tell(context, pending, { ...signal, runId }, burial);
    if (told === 'ended') return await refuseEnded(context, pending);
    if (told === 'gone') return 'postponed';
    if (told === 'busy') return await waitItsTurn(context, pending);
  } catch (error) {
    // While the firing is open or watched, its step may still wait, in a namespace that comes back.
    const isGivenUp = pending.state === null || (pending.state === 'closed' && !pending.isWatched);
    if (isGivenUp && isDeleted(context, namespace)) return refuseEnded(context, pending);
    return unanswered(context, pending, error, 'signal its workflow');
  }
  if (!(await recordDecision(context.store, pending, new Date(context.clock.now())))) return 'postponed';
  if (request.mode === 'expire') logLetters(context, [{ ...pending, kind: 'workflow', reason: 'parked_too_long' }]);
  else logRedriven(context, pending);
  return 'decided';
}

/**
 * Sends the decision, and returns whether the waiting run received it. If somebody reset the chain, the parked step may
 * wait in another run.
 */
async function tell(
  context: TriggerContext,
  pending: PendingRedrive,
  signal: RunSignal,
  burial: number,
): Promise<'told' | 'ended' | 'busy' | 'gone'> {
  const temporal = context.temporal.of(pending.namespace);
  // The decision is recorded first: if the step fails again, its letter opens again even if this trigger writes nothing
  // more.
  const tellRun = async (runId: string) => {
    const announced = await announceDecision(context.store, pending, { runId, burial });
    if (announced !== 'announced') return announced;
    return (await temporal.signal({ ...signal, runId })) ? 'told' : 'ended';
  };
  const told = await tellRun(signal.runId);
  if (told !== 'ended') return told;
  const chain = await temporal.describeChain(pending.workflowId);
  if (!chain || chain.outcome || chain.runId === signal.runId || !isOf(context, pending, chain)) return 'ended';
  return tellRun(chain.runId);
}

/**
 * Ends the redrive of a step that does not wait any more. Recording the end of a chain also decides the state of the
 * firing's letters. The state of a letter that was written later is decided here, and so is that of a letter whose
 * firing the ledger no longer has.
 */
async function refuseEnded(context: TriggerContext, pending: PendingRedrive): Promise<End> {
  const isRecorded = pending.state === 'closed' || pending.state === null;
  if (!isRecorded) {
    // A person has given the step up. That decision stays: once the end is recorded, it discards the letter.
    const isToEnd = pending.state === 'claimed' || pending.state === 'linked';
    if (pending.request.mode === 'discard' && isToEnd) return waitForEnd(context, pending);
    return refuse(context, pending, 'its workflow has ended; the outcome of its firing will say how');
  }
  if (!(await settleByEnd(context.store, pending, new Date(context.clock.now())))) return 'postponed';
  logRefusal(context, pending, 'its workflow has ended');
  return 'refused';
}
