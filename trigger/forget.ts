import { deleteEndedLeases, deleteSettledLetters, FORGOTTEN_AT_ONCE, isNotAllowed } from '../store/forget';
import type { TriggerContext } from './context';

/** Delete, in batches, what nobody needs any more: letters that are settled and past retention, and leases that ended a day ago. */
export async function forget(context: TriggerContext): Promise<void> {
  const { store, clock, limits, retentionFloor } = context;
  await inBatches(context, () => deleteEndedLeases(store));
  if (!retentionFloor || limits.retentionMilliseconds === Number.POSITIVE_INFINITY) return;
  const before = new Date(clock.now() - limits.retentionMilliseconds);
  await inBatches(context, () => deleteSettledLetters(store, retentionFloor, before));
}

/** A role without the right leaves them where they are: its trigger has said so at its start. */
async function inBatches({ stopping }: TriggerContext, forgetSome: () => Promise<number>): Promise<void> {
  try {
    while (!stopping.aborted && (await forgetSome()) === FORGOTTEN_AT_ONCE);
  } catch (error) {
    if (!isNotAllowed(error)) throw error;
  }
}
