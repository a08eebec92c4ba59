import { renewClaims } from '../store/start';
import { beat } from '../store/triggers';
import { DatabaseClock } from './clock';
import { later, type TriggerContext } from './context';

/** Who beats: shown to people in the table `triggers`. */
export interface TriggerIdentity {
  host: string;
  version: string;
}

/** Say that this trigger is alive, and set its clock by the database's. An injected clock beats by itself. */
export async function heartbeat(context: TriggerContext, identity: TriggerIdentity): Promise<void> {
  const { clock } = context;
  const trigger = { id: context.id, ...identity };
  const sentAt = clock instanceof DatabaseClock ? clock.mark() : undefined;
  const now = sentAt === undefined ? new Date(clock.now()) : undefined;
  const { staleAfterMilliseconds } = context.limits;
  const beaten = await beat(context.store, { ...trigger, now, staleAfterMilliseconds });
  context.caps.triggers = beaten.alive;
  if (clock instanceof DatabaseClock) clock.synchronize(sentAt!, beaten.now);
  // A standby that was promoted may have lost what the primary had committed.
  if (context.adopted && !beaten.adopted) context.logger.warn('the database is not the one that it was: a failover?');
  context.adopted = beaten.adopted;
  context.adoption.adoptedAt = beaten.adoptedAt;
  await renew(context);
}

/** Thousands may wait behind a burst: they are looked at every quarter of the time, and those written whose half is over. */
async function renew(context: TriggerContext): Promise<void> {
  const now = context.clock.now();
  const { checkAfterMilliseconds } = context.limits;
  if (now - context.claimsRenewedAt < checkAfterMilliseconds / 4) return;
  await renewClaims(context.store, context.queue.waiting(), {
    owner: context.id,
    dueBefore: later(now, checkAfterMilliseconds / 2),
    checkAt: later(now, checkAfterMilliseconds),
  });
  context.claimsRenewedAt = now;
}
