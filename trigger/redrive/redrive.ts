import { workflowIdOf } from '../../core/identity';
import { refusalByFiring, restartEpochOf, restartsByCurrentVersion } from '../../core/letters/redrive';
import { reclaimFiring } from '../../store/letters/carry-out-redrive';
import { type PendingRedrive, type RedriveKey, readDueRedrives, takeRedrives } from '../../store/letters/redrive';
import { eachOrSetAside, takeByHalves } from '../by-halves';
import { isDone } from '../concurrently';
import { later, type TriggerContext } from '../context';
import type { GoOn } from '../lanes';
import { heldNamespaces, isHeld } from '../recover/adoption';
import { decideParked } from './decide-parked';
import { type End, logRedriven, refuse, waitItsTurn } from './refuse-or-postpone';
import { resume } from './resume';

/** The result of one redrive pass. */
export interface RedriveResult {
  /** Dead letters that this pass took. */
  taken: number;
  /** Firings that were claimed again, to run from the beginning. */
  restarted: number;
  /** Firings that were linked again, usually after a reset to just before the step that failed. */
  resumed: number;
  /** Parked steps that received a decision: try again, fail, or return a given result. */
  decided: number;
  /** Redrives that could not be carried out. */
  refused: number;
  /**
   * Redrives that are tried again, as when Temporal did not answer or their turn has not come, and those that another
   * process settled.
   */
  postponed: number;
}

/**
 * The time over which redrives are counted: a pace of 20 per second allows 40 within it, however often triggers poll.
 */
export const PACE_MILLISECONDS = 2_000;

/**
 * Carry out the redrives that are due. Namespaces in which adoption is not done yet are left out, since their firings
 * may have been redriven already.
 */
export async function redrive(context: TriggerContext, goOn: GoOn = () => {}): Promise<RedriveResult> {
  const { adoption, lanes, temporal } = context;
  if (isHeld(adoption)) return { taken: 0, restarted: 0, resumed: 0, decided: 0, refused: 0, postponed: 0 };
  const now = context.clock.now();
  const query = {
    now: new Date(now),
    lookAt: later(now, context.limits.checkAfterMilliseconds),
    paceSince: later(now, -PACE_MILLISECONDS),
    withoutNamespaces: [...temporal.leftAlone(), ...heldNamespaces(adoption), ...lanes.redrive.busy],
    limit: context.limits.batchSize,
  };
  const pending = await takeByHalves<PendingRedrive, RedriveKey>(context, 'the poll of a redrive', {
    take: (part) => takeRedrives(context.store, query, part),
    read: (part) => readDueRedrives(context.store, query, part),
  });
  const working = lanes.redrive.run(pending, (share) =>
    eachOrSetAside(context, 'a redrive', share, context.limits.startsInFlight, (one) => carryOut(context, one)),
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

async function carryOut(context: TriggerContext, pending: PendingRedrive): Promise<End> {
  const { mode } = pending.request;
  const refusal = refusalByFiring(mode, pending.state);
  if (refusal) return refuse(context, pending, refusal);
  switch (mode) {
    case 'restart':
      return restart(context, pending);
    case 'resume':
      return resume(context, pending);
    case 'continue':
    case 'complete':
    case 'discard':
    case 'expire':
      return decideParked(context, pending);
    default:
      return refuse(context, pending, `this version of the trigger cannot redrive by '${mode}'; upgrade it`);
  }
}

async function restart(context: TriggerContext, pending: PendingRedrive): Promise<End> {
  const state = pending.state as 'abandoned' | 'closed';
  // A version below zero has the firing's own arguments. The client has stored that version with the definition that
  // was current at the request, unless the client is an older one.
  const isOwn = pending.version < 0;
  const isRefused = state === 'abandoned' && restartsByCurrentVersion(pending.reason);
  const version = isRefused && !isOwn ? pending.currentVersion : pending.version;
  const key = { scheduleId: pending.scheduleId, version };
  const { action, namespace, unreadable } = (await context.definitions.load(context.store, [key]))(key);
  if (unreadable !== undefined) return refuse(context, pending, unreadable.message);
  const epoch = restartEpochOf({ ...pending, kind: pending.letterKind });
  const workflowId = workflowIdOf({ ...pending, workflowId: action.workflowId, epoch });
  const claim = {
    ...{ epoch, version, namespace, workflowId, taskQueue: action.taskQueue },
    now: new Date(context.clock.now()),
  };
  if (!(await reclaimFiring(context.store, { ...pending, state }, claim))) return waitItsTurn(context, pending);
  logRedriven(context, { ...pending, workflowId });
  context.waiting.claimed([
    { namespace, tenant: pending.tenant, taskQueue: action.taskQueue, late: true, readyAt: claim.now },
  ]);
  return 'restarted';
}
