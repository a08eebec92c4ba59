import { workflowIdOf } from '../../core/identity';
import { PARK_SIGNAL, type ParkDecision } from '../../core/letters/park';
import {
  type RedriveRequest,
  refusalByFiring,
  restartEpochOf,
  restartsByCurrentVersion,
} from '../../core/letters/redrive';
import { describeSteps, parkedEventOf } from '../../core/letters/reset-point';
import {
  reclaimFiring,
  recordDecision,
  refuseRedrive,
  relinkFiring,
  settleByEnd,
} from '../../store/letters/end-redrive';
import {
  announceDecision,
  announceReset,
  type PendingRedrive,
  postponeRedrive,
  type RedriveKey,
  readDueRedrives,
  takeRedrives,
} from '../../store/letters/redrive';
import { announceInTurn } from '../../store/letters/turns';
import { Lease } from '../../temporal/lease';
import { type RunSignal, TemporalCallError } from '../../temporal/port';
import { takeByHalves, writeOrSetAside } from '../by-halves';
import { cancelAtOf } from '../claim/soft-timeout';
import { concurrently, isDone } from '../concurrently';
import { firingFields, later, type TriggerContext } from '../context';
import type { GoOn } from '../lanes';
import { logLetters } from '../log-letters';
import { isOf } from '../observe/chain';

/** The result of one redrive pass. */
export interface RedriveResult {
  /** Dead letters that were taken. */
  taken: number;
  /** Firings that were claimed again, from the beginning. */
  restarted: number;
  /** Chains that continue before the step that failed. */
  resumed: number;
  /** Parked steps that received a decision to go on or to fail. */
  decided: number;
  /** Redrives that could not be carried out: their letters are open again and give the reason. */
  refused: number;
  /** Redrives for which Temporal did not answer, or which somebody else settled. What is left is tried again. */
  postponed: number;
}

/** Redrives are counted over this time: a pace of 20 per second allows 40 within it, however often triggers poll. */
export const PACE_MILLISECONDS = 2_000;
/** A redrive that the pace delays is tried again after this time. */
const TURN_MILLISECONDS = 1_000;

type End = 'restarted' | 'resumed' | 'decided' | 'refused' | 'postponed';

/** Carry out the requested redrives. Another trigger may begin one again, but it takes effect once. */
export async function redrive(context: TriggerContext, goOn: GoOn = () => {}): Promise<RedriveResult> {
  const now = context.clock.now();
  // The lease begins before the read. Another trigger takes the redrive only after twice this time.
  const lease = new Lease(context.limits.checkAfterMilliseconds / 2);
  const query = {
    now: new Date(now),
    lookAt: later(now, context.limits.checkAfterMilliseconds),
    paceSince: later(now, -PACE_MILLISECONDS),
    withoutNamespaces: [...context.temporal.leftAlone(), ...context.lanes.redrive.busy],
    limit: context.limits.batchSize,
  };
  const pending = await takeByHalves<PendingRedrive, RedriveKey>(context, 'the poll of a redrive', {
    take: (part) => takeRedrives(context.store, query, part),
    read: (part) => readDueRedrives(context.store, query, part),
  });
  const working = context.lanes.redrive.run(pending, (share) =>
    concurrently(share, context.limits.startsInFlight, context.stopping, (one) =>
      writeOrSetAside(context, 'a redrive', one, () => carryOut(context, one, lease)),
    ),
  );
  goOn();
  const ends = (await working).flat().filter(isDone);
  const count = (end: End) => ends.filter((one) => one === end).length;
  return {
    taken: pending.length,
    restarted: count('restarted'),
    resumed: count('resumed'),
    decided: count('decided'),
    refused: count('refused'),
    postponed: count('postponed'),
  };
}

async function carryOut(context: TriggerContext, pending: PendingRedrive, lease: Lease): Promise<End> {
  const { mode } = pending.request;
  const refusal = refusalByFiring(mode, pending.state);
  if (refusal) return refuse(context, pending, refusal);
  switch (mode) {
    case 'restart':
      return restart(context, pending);
    case 'resume':
      return resume(context, pending, lease);
    case 'continue':
    case 'complete':
    case 'discard':
    case 'expire':
      return decideParked(context, pending);
    default:
      return refuse(context, pending, `this version of the trigger cannot redrive by '${mode}'; upgrade it`);
  }
}

/** From the beginning: the firing is claimed again, and waits for its start like any claim. */
async function restart(context: TriggerContext, pending: PendingRedrive): Promise<End> {
  const state = pending.state as 'abandoned' | 'closed';
  const version = restartsByCurrentVersion(pending.reason) ? pending.currentVersion : pending.version;
  const key = { scheduleId: pending.scheduleId, version };
  const { action, namespace, unreadable } = (await context.definitions.load(context.store, [key]))(key);
  if (unreadable !== undefined) return refuse(context, pending, unreadable.message);
  const epoch = restartEpochOf({ kind: pending.letterKind, reason: pending.reason, epoch: pending.epoch });
  const workflowId = workflowIdOf({ ...pending, workflowId: action.workflowId, epoch });
  const claim = {
    ...{ epoch, version, namespace, workflowId, taskQueue: action.taskQueue },
    now: new Date(context.clock.now()),
  };
  if (!(await reclaimFiring(context.store, { ...pending, state }, claim))) return waitItsTurn(context, pending);
  log(context, { ...pending, workflowId });
  context.waiting.claimed([
    { namespace, tenant: pending.tenant, taskQueue: action.taskQueue, late: true, readyAt: claim.now },
  ]);
  return 'restarted';
}

/** From just before the failed step: the run is reset in Temporal, and its firing linked again. */
async function resume(context: TriggerContext, pending: PendingRedrive, lease: Lease): Promise<End> {
  const key = { scheduleId: pending.scheduleId, version: pending.version };
  const definition = (await context.definitions.load(context.store, [key]))(key);
  const { taskQueue } = definition.action;
  if (pending.request.inTurn && !context.caps.admit({ ...pending, taskQueue })) return waitItsTurn(context, pending);
  try {
    const problem = await reset(context, pending, lease);
    if (problem === 'busy') return await waitItsTurn(context, pending);
    if (problem !== undefined) return await refuse(context, pending, problem);
  } catch (error) {
    return unanswered(context, pending, error, 'reset its run');
  }
  const times = { now: new Date(context.clock.now()), cancelAt: cancelAtOf(context, definition) };
  if (!(await relinkFiring(context.store, pending, times))) return 'postponed';
  log(context, pending);
  return 'resumed';
}

/**
 * In place: the parked step is told to run again, to fail, or to return a given result. A repeated decision has no
 * further effect, since it names the step that it is for.
 */
async function decideParked(context: TriggerContext, pending: PendingRedrive): Promise<End> {
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
    return unanswered(context, pending, error, 'signal its workflow');
  }
  if (!(await recordDecision(context.store, pending, new Date(context.clock.now())))) return 'postponed';
  if (request.mode === 'expire') logLetters(context, [{ ...pending, kind: 'workflow', reason: 'parked_too_long' }]);
  else log(context, pending);
  return 'decided';
}

/**
 * Whether the waiting run received the decision. If somebody reset the chain, the parked step moves to another run, and
 * that run waits.
 */
async function tell(
  context: TriggerContext,
  pending: PendingRedrive,
  signal: RunSignal,
  burial: number,
): Promise<'told' | 'ended' | 'busy' | 'gone'> {
  const temporal = context.temporal.of(pending.namespace);
  // Record the decision first: if the step fails again, its letter opens again even if this trigger writes nothing more.
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

/** No step waits any more. A recorded end has settled all earlier letters, and this letter came after it. */
async function refuseEnded(context: TriggerContext, pending: PendingRedrive): Promise<End> {
  const isRecorded = pending.state === 'closed';
  if (!isRecorded) return refuse(context, pending, 'its workflow has ended; its close says how');
  if (!(await settleByEnd(context.store, pending, new Date(context.clock.now())))) return 'postponed';
  logRefusal(context, pending, 'its workflow has ended');
  return 'refused';
}

/** If Temporal does not answer, try again; a refusal is final. */
async function unanswered(
  context: TriggerContext,
  pending: PendingRedrive,
  error: unknown,
  what: string,
): Promise<End> {
  if (!(error instanceof TemporalCallError)) throw error;
  const { reconcileIntervalMilliseconds, startDeadlineMilliseconds } = context.limits;
  if (error.kind !== 'away' && error.kind !== 'busy' && !error.ofNamespace)
    return refuse(context, pending, `Temporal refused to ${what}: ${error.message}`);
  await postponeRedrive(
    context.store,
    pending,
    // A request in transit may still succeed, and a second request would make the server reset once more.
    later(context.clock.now(), error.unsent ? reconcileIntervalMilliseconds : startDeadlineMilliseconds),
  );
  return 'postponed';
}

/** Reset the chain's current run, unless that was done before. Returns the reason if it cannot be done. */
async function reset(context: TriggerContext, pending: PendingRedrive, lease: Lease): Promise<string | undefined> {
  const { namespace, workflowId, request } = pending;
  const temporal = context.temporal.of(namespace);
  const chain = await temporal.describeChain(workflowId);
  if (!chain || !isOf(context, pending, chain)) return GONE;
  // The current run is not the one to be reset: a trigger that has died has already reset it, or a person has.
  if (request.reset && request.reset.runId !== chain.runId) return undefined;
  if (chain.outcome === undefined || chain.outcome === 'completed') return undefined;

  const point = await temporal.resetPoint(workflowId, chain.runId, parkedEventOf(pending.failedStep, chain.runId));
  if (!point) return `it has no step to go back to (its run ${chain.outcome}); use mode 'restart'`;
  if (point.siblings.length > 0 && !request.force) {
    return `these would run again: ${describeSteps(point.siblings)}; redrive with force if they may, or use mode 'restart'`;
  }
  const announced = await announce(context, pending, { runId: chain.runId, eventId: point.eventId });
  if (announced !== 'announced') return announced === 'busy' ? 'busy' : undefined;
  // If two triggers asked, the server would reset twice.
  if (lease.isOver()) return 'busy';
  const done = await temporal.reset({
    ...{ namespace, workflowId, runId: chain.runId, eventId: point.eventId, requestId: request.requestId },
    reason: `redriven by ${pending.actor}`,
    versioningOverride: request.versioningOverride,
  });
  return done ? undefined : GONE;
}

async function announce(context: TriggerContext, pending: PendingRedrive, reset: NonNullable<RedriveRequest['reset']>) {
  if (!pending.request.inTurn) return (await announceReset(context.store, pending, reset)) ? 'announced' : 'gone';
  const checkAt = later(context.clock.now(), 2 * context.limits.checkAfterMilliseconds);
  return announceInTurn(context.store, pending, reset, checkAt);
}

/** The redrive waits because the pace has no room, or because another trigger has settled it. */
async function waitItsTurn(context: TriggerContext, pending: PendingRedrive): Promise<End> {
  if (pending.request.inTurn) {
    await postponeRedrive(context.store, pending, later(context.clock.now(), TURN_MILLISECONDS));
  }
  return 'postponed';
}

const GONE = "Temporal no longer has its run, which is older than the namespace's retention; use mode 'restart'";

async function refuse(context: TriggerContext, pending: PendingRedrive, why: string): Promise<End> {
  const note = `not redriven: ${why}`;
  if (!(await refuseRedrive(context.store, pending, note, new Date(context.clock.now())))) return 'postponed';
  logRefusal(context, pending, why);
  return 'refused';
}

function logRefusal(context: TriggerContext, pending: PendingRedrive, reason: string): void {
  context.logger.warn('redrive refused', { ...firingFields(pending), letterId: pending.letterId, reason });
}

function log(context: TriggerContext, pending: PendingRedrive): void {
  const { letterId, request, actor } = pending;
  context.logger.info('redriven', { ...firingFields(pending), letterId, mode: request.mode, actor });
}
