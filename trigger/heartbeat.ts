import { nameOf } from '../core/firing';
import { renewClaims } from '../store/start';
import { beat } from '../store/triggers';
import { DatabaseClock } from './clock';
import { later, type TriggerContext } from './context';
import { DefinitionCache } from './definitions';
import type { QueuedClaim } from './queue';

/** Who beats: shown to people in the table `triggers`. */
export interface TriggerIdentity {
  host: string;
  version: string;
}

/** Say that this trigger is alive, and set its clock by the database's. An injected clock beats by itself. */
export async function heartbeat(context: TriggerContext, identity: TriggerIdentity): Promise<void> {
  await beatOnce(context, identity);
  let beatenAt = performance.now();
  for await (const _ of renewed(context)) {
    if (performance.now() - beatenAt < context.limits.heartbeatIntervalMilliseconds) continue;
    await beatOnce(context, identity);
    beatenAt = performance.now();
  }
}

async function beatOnce(context: TriggerContext, identity: TriggerIdentity): Promise<void> {
  const { clock } = context;
  const trigger = { id: context.id, ...identity };
  const sentAt = clock instanceof DatabaseClock ? clock.mark() : undefined;
  const now = sentAt === undefined ? new Date(clock.now()) : undefined;
  const { staleAfterMilliseconds } = context.limits;
  const beaten = await beat(context.store, { ...trigger, now, staleAfterMilliseconds });
  context.caps.triggers = beaten.alive;
  if (clock instanceof DatabaseClock) clock.synchronize(sentAt!, beaten.now);
  // A standby that was promoted may have lost what the primary had committed.
  const isNoticed = context.adopted && !beaten.adopted;
  if (isNoticed) context.logger.warn('the database is not the one that it was: a failover?');
  context.adopted = beaten.adopted;
  // With the rest it may have lost versions whose numbers are given again, to other definitions. A new cache: a pass that is
  // under way would put back what is cleared.
  if (isNoticed || context.definitionsOf !== beaten.incarnation) context.definitions = new DefinitionCache();
  context.definitionsOf = beaten.incarnation;
  context.adoption.adoptedAt = beaten.adoptedAt;
}

/** Claims of one statement: of more a beat could come too late. */
const RENEWED_AT_ONCE = 5_000;

/** However many wait: what memory should lose after all is found again by then. */
const RENEWED_FOR_AT_MOST_MILLISECONDS = 300_000;

/**
 * Thousands may wait behind a burst: they are looked at every quarter of the time, and those written whose half is over, so
 * that it lasts for twice as long as all that wait take to be started at the measured rate. A page at a time, behind each of which
 * there is time for a beat.
 */
async function* renewed(context: TriggerContext): AsyncGenerator<void> {
  const now = context.clock.now();
  const { checkAfterMilliseconds } = context.limits;
  if (now - context.claimsRenewedAt < checkAfterMilliseconds / 4) return;
  const dueBefore = later(now, checkAfterMilliseconds / 2);
  const waiting = context.queue.waiting();
  const isOverSoon = (claim: QueuedClaim) => (context.claimChecks.get(claim) ?? 0) < dueBefore.getTime();
  const renewable = waiting.filter(isOverSoon);
  const takeMilliseconds = (waiting.length / context.rates.due.perSecond) * 1_000;
  const lasts = Math.max(checkAfterMilliseconds, Math.min(2 * takeMilliseconds, RENEWED_FOR_AT_MOST_MILLISECONDS));
  const renewal = {
    owner: context.id,
    dueBefore,
    checkAt: later(now, checkAfterMilliseconds),
    uncalledUntil: later(now, lasts),
  };
  for (let from = 0; from < renewable.length; from += RENEWED_AT_ONCE) {
    const page = renewable.slice(from, from + RENEWED_AT_ONCE);
    const written = new Map((await renewClaims(context.store, page, renewal)).map((row) => [nameOf(row), row.checkAt]));
    for (const claim of page) {
      const checkAt = written.get(nameOf(claim));
      if (checkAt) context.claimChecks.set(claim, checkAt.getTime());
    }
    yield;
  }
  context.claimsRenewedAt = now;
}
