import type { AbandonReason } from '../core/decisions/recovery';
import { DEFAULTS } from '../core/defaults';
import { type TakenFiring, takeOverLost } from '../store/recover';
import { heldNamespaces, isHeld } from './adoption';
import { writeOrSetAside } from './by-halves';
import { concurrently } from './concurrently';
import { later, type TriggerContext } from './context';
import { type Definitions, dueAtOf } from './definitions';
import { groupBy } from './group';
import { isKept, leaveToAdoption } from './kept';
import type { GoOn } from './lanes';
import { recallWhatWaits } from './recall';
import { deduplicationOf, recover } from './recover';
import { giveUp } from './refused';

/** What one reconcile pass did. */
export interface ReconcileResult {
  /** The trigger that stopped beating, and all of whose claims are due; others follow in the next pass. */
  deadTriggers: string[];
  /** Claims taken over, of dead triggers or overdue. */
  taken: number;
  /** Whether more may wait that is worth taking over at once. */
  more: boolean;
  /** Of these, handed to the start pass again. */
  restarted: number;
  /** Firings that were given up. */
  abandoned: number;
  /** When another trigger is dead unless it beats again. */
  nextStaleAt: Date | undefined;
  /** Whether any chain is open. */
  anythingOpen: boolean;
  /** Whether a running chain is to be ended now. */
  anythingToInterrupt: boolean;
  /** Whether a redrive is to be carried out now. */
  anythingToRedrive: boolean;
}

/** A result of a pass that did not look: what runs is looked at all the same. */
const NOTHING_LOST = (): ReconcileResult => ({
  deadTriggers: [],
  taken: 0,
  more: false,
  restarted: 0,
  abandoned: 0,
  nextStaleAt: undefined,
  anythingOpen: true,
  anythingToInterrupt: false,
  anythingToRedrive: false,
});

/** Schedules whose firings are given up at once, each on a connection of the pool. */
const GIVE_UPS_AT_ONCE = 4;

/**
 * Find claims that were never linked, and start or abandon each. Starting again is harmless: the request ID makes
 * Temporal return the run that the first call started.
 */
export async function reconcile(context: TriggerContext, goOn: GoOn = () => {}): Promise<ReconcileResult> {
  const { clock, limits, temporal, queue, awayFloor, lanes } = context;
  await recallWhatWaits(context);
  const now = clock.now();
  if (isHeld(context.adoption)) return NOTHING_LOST();
  // What waits for a namespace that does not answer is not written again and again, nor read.
  const silent = temporal.away().flatMap(({ name, refusedSince }) => (refusedSince === undefined ? [name] : []));
  const away = [...new Set([...silent, ...heldNamespaces(context.adoption)])];
  const from = awayFloor.from(away, now);
  const asking = askAway(context);
  const { taken, deadTriggers, moreHeld, oldestHeartbeatAt, ...found } = await takeOverLost(context.store, {
    owner: context.id,
    now: new Date(now),
    checkAt: later(now, limits.checkAfterMilliseconds),
    staleBefore: later(now, -limits.staleAfterMilliseconds),
    limit: limits.batchSize,
    // Behind an outage: what has just been lost goes before what was long ago, and that waits while enough is queued.
    full: queue.full(limits.queuedAtMost),
    recentFrom: later(now, -limits.staleAfterMilliseconds - DEFAULTS.onTimeMilliseconds),
    away: [...away, ...lanes.reconcile.busy],
    from,
  });
  awayFloor.looked(away, now, { from, isAll: taken.length < limits.batchSize });
  for (const triggerId of deadTriggers) context.logger.warn('trigger lost: taking over its claims', { triggerId });

  const kept = taken.filter((one) => isKept(context, one));
  await leaveToAdoption(context, kept);
  const free = kept.length === 0 ? taken : taken.filter((one) => !kept.includes(one));
  const definitions = await context.definitions.load(context.store, free);
  const working = lanes.reconcile.run(free, (share) => recoverShare(context, share, definitions, now));
  goOn();
  const shares = await working;
  const isBack = await asking;
  const sum = (count: 'restarted' | 'abandoned') => shares.reduce((all, share) => all + share[count], 0);
  return {
    deadTriggers,
    taken: taken.length,
    // One page is enough to learn whether a namespace answers again, unless a dead trigger's claims are still to be made due.
    more:
      moreHeld ||
      isBack ||
      (taken.length === limits.batchSize && !taken.some((one) => temporal.of(one.namespace).isAway)),
    restarted: sum('restarted'),
    abandoned: sum('abandoned'),
    nextStaleAt: oldestHeartbeatAt ? later(oldestHeartbeatAt.getTime(), limits.staleAfterMilliseconds) : undefined,
    ...found,
  };
}

/** Ask those that did not answer, each once its pause is over. Whether any does now. */
async function askAway({ temporal }: TriggerContext): Promise<boolean> {
  const asked = temporal.away().filter(({ leftAloneUntil }) => leftAloneUntil === undefined);
  const ends = await Promise.allSettled(asked.map((namespace) => namespace.isReady()));
  return ends.some((end) => end.status === 'fulfilled' && end.value);
}

/** Start or abandon what was taken over of one namespace. */
async function recoverShare(
  context: TriggerContext,
  taken: TakenFiring[],
  definitions: Definitions,
  now: number,
): Promise<{ restarted: number; abandoned: number }> {
  const retention = deduplicationOf(context, taken[0]!.namespace);
  const ends = await concurrently(taken, context.limits.startsInFlight, context.stopping, (firing) =>
    writeOrSetAside(context, 'the recovery', firing, () =>
      recover(context, firing, definitions(firing), now, retention),
    ),
  );
  // In the order of the page, oldest first, whatever each of them had to wait for.
  context.queue.add(
    taken.flatMap((firing, index) => {
      const end = ends[index];
      if (end?.action !== 'start') return [];
      const definition = definitions(firing);
      const dueAt = dueAtOf(definition, firing.scheduledTime);
      return [{ ...firing, dueAt, rememberedFor: end.rememberedFor, taskQueue: definition.action.taskQueue }];
    }),
    now,
  );
  // After the starts are queued, since each needs the lock of its schedule. By then it may be somebody else's.
  const lost = taken.flatMap((firing, index) => {
    const end = ends[index];
    return end?.action === 'abandon' ? [{ firing, reason: end.reason }] : [];
  });
  const abandoned = await concurrently(
    [...groupBy(lost, ({ firing }) => firing.scheduleId).values()],
    GIVE_UPS_AT_ONCE,
    context.stopping,
    (ofSchedule) => giveUpInTurn(context, ofSchedule),
  );
  return {
    restarted: ends.filter((end) => end?.action === 'start').length,
    abandoned: abandoned.reduce<number>((all, count) => all + (count ?? 0), 0),
  };
}

/** Those of one schedule one after the other: none waits for the schedule's lock. @returns how many */
async function giveUpInTurn(
  context: TriggerContext,
  lost: { firing: TakenFiring; reason: AbandonReason }[],
): Promise<number> {
  let abandoned = 0;
  for (const { firing, reason } of lost) {
    if (context.stopping.aborted) break;
    const isAbandoned = await writeOrSetAside(context, 'the recovery', firing, () =>
      giveUp(context, firing, { state: 'abandoned', reason }, { ...firing, owner: context.id }),
    );
    if (isAbandoned) abandoned++;
  }
  return abandoned;
}
