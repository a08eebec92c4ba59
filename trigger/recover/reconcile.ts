import { nameOf } from '../../core/firing';
import { readDueChecks } from '../../store/firings/due-checks';
import { letWait } from '../../store/firings/let-wait';
import { type TakenFiring, type Takeover, type TakeoverQuery, takeOverLost } from '../../store/firings/take-over-lost';
import { byHalves, eachOrSetAside, takeByHalves } from '../by-halves';
import { turnOf } from '../claim/turn';
import { later, type TriggerContext } from '../context';
import { type Definitions, dueAtOf } from '../definitions';
import { giveUpRefused } from '../dispatch/give-up-refused';
import { startAgain } from '../dispatch/start-again';
import type { GoOn } from '../lanes';
import { noteReach, refusedToCheck } from '../refused-namespaces';
import { heldNamespaces, isHeld } from './adoption';
import { giveUpEach } from './give-up';
import { deduplicationOf, recover } from './recover-one';

/** The result of one reconcile pass. */
export interface ReconcileResult {
  /** The dead trigger that was found, at most one: all its claims are due now. The next pass may find others. */
  deadTriggers: string[];
  /** Claims taken over from dead triggers, or because they were overdue. */
  taken: number;
  /** Whether it is worthwhile to take over more claims at once. */
  more: boolean;
  /** Firings that were to be started again. */
  restarted: number;
  /** Firings whose start nobody has called: they wait for their turn again. */
  waiting: number;
  /** Firings that were abandoned. */
  abandoned: number;
  /**
   * Whether every claim whose check was due was taken, except those whose row another session had locked: no namespace
   * and no schedule was left out.
   */
  complete: boolean;
  /** When the first of the other live triggers counts as dead, unless it writes a heartbeat. */
  nextStaleAt: Date | undefined;
  /** Whether any chain is open. */
  anythingOpen: boolean;
  /** Whether any running chain should be ended now. */
  anythingToInterrupt: boolean;
  /** Whether any redrive is due now. */
  anythingToRedrive: boolean;
}

/** Limits for one poll for lost claims. */
export interface ReconcileScope {
  /** Only claims whose check is due at this time or later are read. @default no limit */
  from?: Date | undefined;
  /** Only open chains whose poll is due at this time or later are read. @default no limit */
  openFrom?: Date | undefined;
}

/** If the ledger was not polled, chains are assumed to be open. */
const NOTHING_SEEN = () => ({
  deadTriggers: [],
  anythingOpen: true,
  anythingToInterrupt: false,
  anythingToRedrive: false,
});

/**
 * Take over lost firings. A lost firing is started again, linked, skipped, abandoned or postponed, or waits for its
 * start once more. Calling start again is harmless while Temporal remembers the first call: because of the request
 * ID and the workflow ID, Temporal starts no second chain, and the firing is linked with the first one.
 */
export async function reconcile(
  context: TriggerContext,
  goOn: GoOn = () => {},
  { from, openFrom }: ReconcileScope = {},
): Promise<ReconcileResult> {
  const { clock, limits, settings, temporal, lanes } = context;
  const now = clock.now();
  if (isHeld(context.adoption))
    return {
      ...NOTHING_SEEN(),
      ...{
        taken: 0,
        more: false,
        complete: false,
        restarted: 0,
        waiting: 0,
        abandoned: 0,
        nextStaleAt: undefined,
      },
    };
  // Firings of namespaces that are away are left out, except when refusals are checked, so that they are not read and
  // written again and again.
  const refused = refusedToCheck(context, now);
  const silent = temporal.away().filter((namespace) => !refused.includes(namespace));
  const away = [...silent.map(({ name }) => name), ...heldNamespaces(context.adoption)];
  const withoutNamespaces = [...away, ...lanes.reconcile.busy];
  await noteReach(context, refused, now);
  const { taken, deadTriggers, moreHeld, oldestHeartbeatAt, ...found } = await takeOver(context, {
    owner: context.id,
    now: new Date(now),
    checkAt: later(now, limits.checkAfterMilliseconds),
    staleBefore: later(now, -settings.staleAfterMilliseconds),
    limit: limits.batchSize,
    ...{ from, openFrom, withoutNamespaces },
  });
  // A start that nobody has announced was never lost.
  for (const { namespace, firstAttemptedAt } of taken) if (firstAttemptedAt) context.metrics.of.lost.inc({ namespace });
  context.metrics.of.deadTriggers.inc(deadTriggers.length);
  for (const triggerId of deadTriggers) context.logger.warn('trigger lost: taking over its claims', { triggerId });

  const definitions = await context.definitions.load(context.store, taken);
  const working = lanes.reconcile.run(taken, (share) => recoverShare(context, share, definitions, now));
  goOn();
  const shares = await working;
  // A namespace is asked once more before its firings are given up. One that refuses answers soon.
  await Promise.allSettled(refused.map((namespace) => namespace.isReady()));
  const expired = await giveUpRefused(context, refused, now);
  const sum = (count: 'restarted' | 'waiting' | 'abandoned') => shares.reduce((all, share) => all + share[count], 0);
  return {
    deadTriggers,
    taken: taken.length,
    // After a full batch the next one follows at once, unless a namespace of the batch is away: one batch at a time
    // shows whether it answers again.
    more: moreHeld || (taken.length === limits.batchSize && !taken.some((one) => temporal.of(one.namespace).isAway)),
    complete: taken.length < limits.batchSize && withoutNamespaces.length + context.aside.all(TAKEOVER).length === 0,
    restarted: sum('restarted'),
    waiting: sum('waiting'),
    abandoned: sum('abandoned') + expired,
    nextStaleAt: oldestHeartbeatAt ? later(oldestHeartbeatAt.getTime(), settings.staleAfterMilliseconds) : undefined,
    ...found,
  };
}

const TAKEOVER = 'the takeover of a start';

async function takeOver(
  context: TriggerContext,
  { from, ...query }: TakeoverQuery & ReconcileScope,
): Promise<Takeover> {
  const { store } = context;
  let found: Takeover = { ...NOTHING_SEEN(), taken: [], moreHeld: false, oldestHeartbeatAt: null };
  const taken = await takeByHalves(context, TAKEOVER, {
    take: async (part) => {
      found = await takeOverLost(store, query, { ...part, from });
      return found.taken;
    },
    read: (part) => readDueChecks(store, { ...query, ...part, from, state: 'claimed' }),
  });
  return { ...found, taken };
}

async function recoverShare(
  context: TriggerContext,
  taken: TakenFiring[],
  definitions: Definitions,
  now: number,
): Promise<Pick<ReconcileResult, 'restarted' | 'waiting' | 'abandoned'>> {
  const retention = deduplicationOf(context, taken[0]!.namespace);
  const ends = await eachOrSetAside(context, 'the recovery', taken, context.limits.startsInFlight, (firing) =>
    recover(context, firing, definitions(firing), now, retention),
  );
  const decided = taken.map((firing, index) => ({ firing, end: ends[index] }));
  const waiting = await letThemWait(
    context,
    decided.flatMap(({ firing, end }) => (end?.action === 'dispatch' ? [firing] : [])),
    definitions,
  );
  const again = decided.flatMap(({ firing, end }) =>
    end?.action === 'start' ? [{ ...firing, rememberedFor: end.rememberedFor }] : [],
  );
  await startAgain(context, again);
  // Firings are given up after the starts, since giving one up needs the lock of its schedule. `decidedOn` guards
  // against another trigger that has taken the firing over by now.
  const lost = decided.flatMap(({ firing, end }) => {
    if (end?.action !== 'abandon' && end?.action !== 'skip') return [];
    const state: 'abandoned' | 'skipped' = end.action === 'skip' ? 'skipped' : 'abandoned';
    return [{ firing, end: { state, reason: end.reason }, decidedOn: { ...firing, owner: context.id } }];
  });
  const ended = await giveUpEach(context, lost);
  const abandoned = lost.filter(({ firing, end }) => end.state === 'abandoned' && ended.has(firing)).length;
  return { restarted: again.length, waiting, abandoned };
}

/** Let firings whose start nobody has called wait for their start again, in the order in which they became ready. */
async function letThemWait(
  context: TriggerContext,
  uncalled: TakenFiring[],
  definitions: Definitions,
): Promise<number> {
  const turns = uncalled.map((firing) => {
    const definition = definitions(firing);
    const { scheduleId, scheduledTime, kind, tenant, startsAt, readyAt, late, claimedAt } = firing;
    // Only a claim that an older program has written lacks `readyAt`.
    const turn = readyAt
      ? { readyAt, late }
      : turnOf(kind, startsAt ?? dueAtOf(definition, firing), claimedAt.getTime());
    return { scheduleId, scheduledTime, tenant, taskQueue: definition.action.taskQueue, ...turn };
  });
  const write = (part: typeof turns) => letWait(context.store, part, context.id);
  const waiting = (await byHalves(context, 'the return of a start to what waits', turns, write, (rows) => rows)).flat();
  const names = new Set(waiting.map(nameOf));
  const { namespace } = uncalled[0] ?? {};
  if (namespace)
    context.waiting.claimed(turns.flatMap((turn) => (names.has(nameOf(turn)) ? [{ ...turn, namespace }] : [])));
  return waiting.length;
}
