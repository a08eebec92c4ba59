import type { RedriveRequest } from '../../core/letters/redrive';
import { describeSteps, parkedEventOf } from '../../core/letters/reset-point';
import { relinkFiring } from '../../store/letters/carry-out-redrive';
import { type PendingRedrive, postponeRedrive } from '../../store/letters/redrive';
import { announceReset } from '../../store/letters/redrive-turns';
import type { Resumed } from '../../store/letters/settle-resumed';
import { CallLease } from '../../temporal/call-lease';
import { cancelAtOf } from '../claim/soft-timeout';
import { later, type TriggerContext } from '../context';
import { isOf } from '../observe/chain';
import { isDeleted } from '../refused-namespaces';
import { type End, logRedriven, logResumedWith, refuse, unanswered, waitItsTurn } from './refuse-or-postpone';

/** Resumes a chain from just before the failed step: the run is reset in Temporal, and the firing is linked again. */
export async function resume(context: TriggerContext, pending: PendingRedrive): Promise<End> {
  const key = { scheduleId: pending.scheduleId, version: pending.version };
  const definition = (await context.definitions.load(context.store, [key]))(key);
  const { taskQueue } = definition.action;
  if (pending.request.inTurn && !context.caps.admit({ ...pending, taskQueue })) return waitItsTurn(context, pending);
  let run: ContinuedRun;
  try {
    const done = await reset(context, pending);
    if (done === 'busy') return await waitItsTurn(context, pending);
    if ('problem' in done) return await refuse(context, pending, done.problem);
    run = done;
  } catch (error) {
    if (isDeleted(context, pending.namespace)) return refuse(context, pending, MISSING);
    return unanswered(context, pending, error, 'reset its run');
  }
  const resumed = { ...run, now: new Date(context.clock.now()), cancelAt: cancelAtOf(context, definition) };
  const others = await relinkFiring(context.store, pending, resumed);
  if (!others) return 'postponed';
  logRedriven(context, pending);
  for (const other of others) logResumedWith(context, pending, other);
  return 'resumed';
}

type ContinuedRun = Pick<Resumed, 'runId' | 'isFound'>;

/**
 * The result of a reset: the run that continues the chain, the problem that prevents the reset, or `busy` to try again
 * later. The run is undefined if the chain has completed, or the redrive is no longer pending, or the firing has
 * changed.
 */
type Reset = ContinuedRun | { problem: string } | 'busy';

/** Reset the chain's current run, unless it runs, has completed, or was reset before. */
async function reset(context: TriggerContext, pending: PendingRedrive): Promise<Reset> {
  const { namespace, workflowId, request } = pending;
  const temporal = context.temporal.of(namespace);
  const chain = await temporal.describeChain(workflowId);
  if (!chain || !isOf(context, pending, chain)) return { problem: GONE };
  if (chain.outcome === 'completed') return { runId: undefined };
  // An earlier call has made the announced reset, or a person has made another one.
  if (request.reset && request.reset.runId !== chain.runId) return { runId: chain.runId, isFound: true };
  if (chain.outcome === undefined) {
    // A step that was parked is then told to continue, and its run is moved with that.
    const isMoved = !request.versioningOverride || pending.failedStep?.burial !== undefined;
    return isMoved ? { runId: chain.runId } : { problem: RUNS };
  }

  const keep = () => keepTaken(context, pending);
  const parked = parkedEventOf(pending.failedStep, chain.runId);
  const point = await temporal.resetPoint(workflowId, chain.runId, parked, keep);
  if (!point) return { problem: `it has no step to go back to (its run ${chain.outcome}); use mode 'restart'` };
  const { eventId, siblings, unended } = point;
  if (siblings.length > 0 && !request.force) {
    const problem = `these steps would also run again: ${describeSteps(siblings)}; redrive with force if they may run again, or use mode 'restart'`;
    return { problem };
  }
  // Another trigger takes the redrive only after twice the time of this lease.
  const lease = new CallLease(context.limits.checkAfterMilliseconds / 2);
  await keep();
  const announced = await announce(context, pending, { runId: chain.runId, eventId, ...(unended && { unended }) });
  if (announced !== 'announced') return announced === 'busy' ? 'busy' : { runId: undefined };
  // Some time after the lease another trigger may ask for the same reset, and the server could reset the chain twice.
  if (lease.isOver()) return 'busy';
  const done = await temporal.reset({
    ...{ namespace, workflowId, runId: chain.runId, eventId, requestId: request.requestId },
    reason: `redriven by ${pending.actor}`,
    versioningOverride: request.versioningOverride,
  });
  return done ?? { problem: GONE };
}

async function announce(context: TriggerContext, pending: PendingRedrive, reset: NonNullable<RedriveRequest['reset']>) {
  const checkAt = later(context.clock.now(), 2 * context.limits.checkAfterMilliseconds);
  return announceReset(context.store, pending, reset, checkAt);
}

/** Postpones the time from which other triggers may take the redrive: a long history may take minutes to read. */
async function keepTaken(context: TriggerContext, pending: PendingRedrive): Promise<void> {
  const lookAt = later(context.clock.now(), context.limits.checkAfterMilliseconds);
  if (await postponeRedrive(context.store, pending, lookAt)) pending.request.lookAt = lookAt.toISOString();
}

const RUNS =
  "somebody has reset its run, which goes on; move it to another version by 'temporal workflow update-options', or redrive without an override";

const MISSING = 'its namespace does not exist; redrive again once it is back, or discard the letter';

const GONE =
  "Temporal no longer has its run: the namespace's retention is over, somebody deleted it, or another workflow has its ID; use mode 'restart'";
