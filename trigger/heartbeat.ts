import { leftBehind } from '../store/meta';
import { type Beaten, beat, type TriggerIdentity } from '../store/triggers';
import { DatabaseClock } from './clock';
import type { TriggerContext } from './context';
import { DefinitionCache } from './definitions';

/** Say that this trigger is alive, and set its clock by the database's. An injected clock beats by itself. */
export async function heartbeat(context: TriggerContext, identity: TriggerIdentity): Promise<void> {
  await beatOnce(context, identity);
  let beatenAt = performance.now();
  for await (const _ of context.claimChecks.renew(context)) {
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
  const left = leftBehind(context.store, beaten.schema);
  if (left) context.onLeftBehind(left);
  sayOtherZoneData(context, identity, beaten.otherZoneData);
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

/** Said once for each change of who differs: what one computes by other rules fires at another time, by whoever claims it first. */
function sayOtherZoneData(context: TriggerContext, { tz }: TriggerIdentity, others: Beaten['otherZoneData']): void {
  const text = JSON.stringify(others);
  if (text === context.zoneDataSaid) return;
  context.zoneDataSaid = text;
  if (others.length === 0) return;
  context.logger.warn(
    'triggers have different time zone data, so that a zone whose rules changed may fire by the old ones; run them on one version of Node',
    { tz, others },
  );
}
