import type { FiringKey } from '../../core/firing';
import { recordDeferral } from '../../store/firings/start';
import { later, type TriggerContext } from '../context';
import { isHeld } from './adoption';

/** Whether adoption holds the schedule of a claim. */
export function isKept({ adoption }: TriggerContext, claim: FiringKey & { namespace: string }): boolean {
  return isHeld(adoption, claim.namespace, claim.scheduleId);
}

/** Leave claims of schedules to the reconciler whose rows adoption could not write yet. */
export async function leaveToAdoption(
  { store, clock, limits }: TriggerContext,
  claims: (FiringKey & { namespace: string })[],
): Promise<void> {
  const until = later(clock.now(), limits.reconcileIntervalMilliseconds);
  await recordDeferral(store, claims, 'its schedule was locked while adoption asked Temporal what it runs', until);
}
