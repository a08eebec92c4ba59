import { areSuspectsFree } from './claim/verify';
import type { TriggerContext } from './context';
import { heldBackFor } from './dispatch/held-back';
import { DispatchLoops } from './dispatch/loops';
import { Floors } from './floors';
import type { GoOn } from './lanes';
import type { TriggerPasses } from './passes';
import { isAdoptionDue } from './recover/adoption';
import { PACE_MILLISECONDS } from './redrive/redrive';
import { Ticker, type TickerOptions } from './ticker';

/** The heartbeat loop ends after the other loops: a trigger must count as alive until its last start is linked. */
export function heartbeatLoop(context: TriggerContext, passes: TriggerPasses): Ticker {
  const { heartbeatIntervalMilliseconds, claimIntervalMilliseconds } = context.limits;
  const pass = async () => {
    await passes.heartbeat();
    return Math.min(heartbeatIntervalMilliseconds, context.settings.staleAfterMilliseconds * HEARTBEATS_WITHIN);
  };
  // The usual interval would be too long a pause after a failure: with a short `staleAfter` the trigger would count as
  // dead.
  const retry = { retryMilliseconds: claimIntervalMilliseconds };
  return loop(context, 'heartbeat', heartbeatIntervalMilliseconds, pass, retry);
}

/** The longest pause between heartbeats, as a share of `staleAfter`. Two such pauses fit into it. */
const HEARTBEATS_WITHIN = 0.4;
/**
 * How many batches of starts run at once per namespace: while one is announced or linked, the starts of another are
 * called.
 */
const DISPATCH_LOOPS = 3;
/**
 * A read below the floors is slow while somebody keeps an old snapshot open. So the pause after a read below the floors
 * is twenty times as long as the read took, but at least the usual interval and at most a minute.
 */
const PAUSE_BELOW_OF_COST = 20;
const PAUSE_BELOW_AT_MOST_MILLISECONDS = 60_000;

/** The first pause before locked schedules are tried again. The pause doubles while some stay locked. */
const MISSED_PAUSE_MILLISECONDS = 25;

/** The pause between redrive passes while a pace may delay redrives. */
const PACED_PAUSE_MILLISECONDS = 500;

const REPORT_EVERY_MILLISECONDS = 60_000;
/** This equals the usual pause between polls of a chain that makes no progress. */
const SAY_OVER_EVERY_MILLISECONDS = 30_000;

export function workLoops(context: TriggerContext, passes: TriggerPasses): Pick<Ticker, 'start' | 'stop'>[] {
  const { limits, waiting, clock } = context;
  let anythingOpen = true;
  const floors = new Floors();
  const dispatching = new DispatchLoops(waiting, (namespace) =>
    Array.from({ length: DISPATCH_LOOPS }, () =>
      loop(
        context,
        'dispatch',
        limits.sweepIntervalMilliseconds,
        async () => {
          if (waiting.of(namespace).firings === 0) return undefined;
          const result = await passes.dispatch(namespace, { known: true });
          anythingOpen ||= result.linked > 0;
          return result.more ? 0 : result.isHeldBack ? heldBackFor(context, namespace, result) : undefined;
        },
        // After a failed dispatch no event wakes the loop, so it tries again soon by itself.
        { retryMilliseconds: limits.claimIntervalMilliseconds },
      ),
    ),
  );
  // The claim pass wakes the verify loop.
  const verifying = loop(context, 'verify', limits.claimIntervalMilliseconds, async (goOn) => {
    if (areSuspectsFree(context)) await passes.verify(goOn);
    return areSuspectsFree(context) ? 0 : undefined;
  });
  context.onSuspects = () => verifying.wake();
  // A pass that wants an interrupt wakes the interrupt loop, and so does the reconcile pass once an interrupt is due.
  let anythingToInterrupt = false;
  const interrupting = loop(context, 'interrupt', limits.reconcileIntervalMilliseconds, async (goOn) => {
    if (!anythingToInterrupt) return undefined;
    anythingToInterrupt = false;
    const { sent, unanswered } = await passes.interrupt(goOn);
    anythingToInterrupt ||= unanswered > 0 || sent >= limits.batchSize;
    return sent >= limits.batchSize ? 0 : undefined;
  });
  context.onInterrupts = () => {
    anythingToInterrupt = true;
    interrupting.wake();
  };
  // Asking runs with parked steps has a loop of its own, since it may take minutes. A namespace that refuses is asked
  // again after the loop's interval.
  const asking = loop(context, 'ask parked', limits.sweepIntervalMilliseconds, () =>
    passes.askParked().then(() => undefined),
  );
  // The heartbeat that notices a replaced database wakes the adopt loop.
  const adopting = loop(context, 'adopt', limits.reconcileIntervalMilliseconds, async () => {
    if (!isAdoptionDue(context)) return;
    const { complete } = await passes.adopt();
    if (complete) asking.wake();
  });
  context.onNotice = () => adopting.wake();
  // The reconcile pass wakes the redrive loop if a redrive is due. Until the next reconcile pass, an observe pass that
  // records an end wakes the redrive loop too, since another redrive may then begin.
  let anythingToRedrive = false;
  let isRedriving = false;
  let redrivenAt = Number.NEGATIVE_INFINITY;
  const redriving = loop(context, 'redrive', limits.reconcileIntervalMilliseconds, async (goOn) => {
    if (!anythingToRedrive) return undefined;
    anythingToRedrive = false;
    const { taken } = await passes.redrive(goOn);
    if (taken > 0) redrivenAt = performance.now();
    // The pace counts recent redrives, so other redrives may have to wait until these are too old to count.
    anythingToRedrive ||= performance.now() - redrivenAt <= 2 * PACE_MILLISECONDS;
    return taken === limits.batchSize ? 0 : anythingToRedrive ? PACED_PAUSE_MILLISECONDS : undefined;
  });
  const redriveSoon = () => {
    anythingToRedrive = true;
    redriving.wake();
  };
  const loweringFloors = loop(context, 'lower floors', limits.reconcileIntervalMilliseconds, async () => {
    const begun = performance.now();
    await passes.lowerFloors(floors);
    const pause = PAUSE_BELOW_OF_COST * (performance.now() - begun);
    return Math.min(PAUSE_BELOW_AT_MOST_MILLISECONDS, Math.max(limits.reconcileIntervalMilliseconds, pause));
  });
  const reconciling = loop(context, 'reconcile', limits.reconcileIntervalMilliseconds, async (goOn) => {
    const now = clock.now();
    const from = floors.claimed.at(now);
    const result = await passes.reconcile(goOn, { from, openFrom: floors.linked.at(now) });
    if (result.complete) floors.claimed.raise(now, from);
    anythingOpen ||= result.anythingOpen;
    if (result.anythingToInterrupt) context.onInterrupts();
    isRedriving = result.anythingToRedrive;
    if (isRedriving) redriveSoon();
    if (result.deadTriggers.length > 0 || result.more) return 0;
    // The claims of a dead trigger are taken over as soon as that is allowed.
    const staleIn = result.nextStaleAt ? result.nextStaleAt.getTime() + 1 - clock.now() : Number.POSITIVE_INFINITY;
    return Math.max(1, Math.min(limits.reconcileIntervalMilliseconds, staleIn));
  });
  // Firings may wait for the namespace that is back.
  context.onBack = () => {
    reconciling.wake();
    loweringFloors.wake();
  };
  // Each webhook has a loop of its own, so that none waits for another.
  const sending = context.webhooks.map((webhook) =>
    loop(context, 'send alerts', limits.alertIntervalMilliseconds, () =>
      passes.sendAlerts(webhook).then(() => undefined),
    ),
  );
  // The first run of the alert loop opens no alerts, so that occurrences that became due while no trigger was alive can
  // be claimed first.
  let isFirst = true;
  const alerting = loop(context, 'alert', limits.alertIntervalMilliseconds, async () => {
    if (!isFirst) await passes.alert();
    isFirst = false;
    for (const one of sending) one.wake();
  });
  // The first run of the report loop is skipped, since nothing was done yet.
  let isBegun = false;
  const reporting = loop(context, 'report', REPORT_EVERY_MILLISECONDS, async () => {
    if (isBegun) await passes.report();
    isBegun = true;
  });
  let missedPause = MISSED_PAUSE_MILLISECONDS;
  return [
    dispatching,
    verifying,
    interrupting,
    redriving,
    loweringFloors,
    alerting,
    ...sending,
    loop(context, 'claim', limits.claimIntervalMilliseconds, async () => {
      const now = clock.now();
      const from = floors.timers.at(now);
      const { more, locked, missed, nextWakeAt, complete } = await passes.claim({ from });
      if (complete) floors.timers.raise(now, from);
      // Poll again at once, unless other triggers hold every timer of the batch: another poll would then only cost
      // processor time.
      if (more && locked > 0) return 0;
      const untilNext = nextWakeAt ? Math.max(1, nextWakeAt.getTime() - clock.now()) : limits.claimIntervalMilliseconds;
      if (missed.length === 0) {
        missedPause = MISSED_PAUSE_MILLISECONDS;
        return untilNext;
      }
      const pause = Math.min(missedPause, untilNext);
      missedPause = Math.min(2 * missedPause, limits.claimIntervalMilliseconds);
      return pause;
    }),
    reconciling,
    loop(context, 'ask away', limits.reconcileIntervalMilliseconds, (goOn) => passes.askAway(goOn)),
    loop(context, 'observe', limits.observeIntervalMilliseconds, async (goOn) => {
      if (!anythingOpen) return undefined;
      const now = clock.now();
      const from = floors.linked.at(now);
      const { listed, polled, closed, more, complete } = await passes.observe(goOn, { from });
      if (complete) floors.linked.raise(now, from);
      if (isRedriving && closed > 0) redriveSoon();
      // A pass may find no due chain although chains are open: chains without a list are polled one by one, at growing
      // pauses.
      anythingOpen = listed > 0 || polled > 0 || context.ends.isAnyUnlisted;
      return more ? 0 : undefined;
    }),
    // This pass is not a part of the observe pass, for two reasons. Recording ends must not wait for reads that only
    // serve log lines. And the observe pass does not run while no chain is open.
    loop(context, 'say over', SAY_OVER_EVERY_MILLISECONDS, () => passes.sayOver()),
    loop(context, 'sweep', limits.sweepIntervalMilliseconds, () => passes.sweep()),
    // The reset pass is not a part of the sweep loop, which may fail for a long time.
    loop(context, 'reset', limits.sweepIntervalMilliseconds, async (goOn) => {
      const now = clock.now();
      const from = floors.closed.at(now);
      const { polled, complete } = await passes.reset(goOn, { from });
      if (complete) floors.closed.raise(now, from);
      return polled >= limits.batchSize ? 0 : undefined;
    }),
    adopting,
    asking,
    reporting,
    // A trigger that starts during an outage asks until Temporal has answered once.
    loop(
      context,
      'connect',
      limits.sweepIntervalMilliseconds,
      async () => {
        if (context.temporal.unreached !== undefined) await passes.connect();
      },
      { retryMilliseconds: limits.claimIntervalMilliseconds },
    ),
  ];
}

/** A loop around a pass. The pass returns how long the loop pauses, or nothing for the usual interval. */
function loop(
  { logger, limits }: TriggerContext,
  name: string,
  intervalMilliseconds: number,
  pass: (goOn: GoOn) => Promise<unknown>,
  { retryMilliseconds }: Pick<TickerOptions, 'retryMilliseconds'> = {},
): Ticker {
  const { backoffCapMilliseconds } = limits;
  const repeated = async (goOn: GoOn) => {
    const pause = await pass(goOn);
    return typeof pause === 'number' ? pause : intervalMilliseconds;
  };
  return new Ticker({ name, intervalMilliseconds, retryMilliseconds, backoffCapMilliseconds, logger, pass: repeated });
}
