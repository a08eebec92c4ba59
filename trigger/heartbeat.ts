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
  if (clock instanceof DatabaseClock) {
    const sentAt = clock.mark();
    clock.synchronize(sentAt, await beat(context.store, { ...trigger, now: undefined }));
  } else {
    await beat(context.store, { ...trigger, now: new Date(clock.now()) });
  }
  const checkAt = later(clock.now(), context.limits.checkAfterMilliseconds);
  await renewClaims(context.store, context.queue.waiting(), context.id, checkAt);
}
