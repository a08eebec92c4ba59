import type { DueTimer } from '../../store/schedules/due';
import type { TriggerContext } from '../context';
import type { DuePlan } from './due-plan';
import { planDue } from './plan-due';
import type { Settled } from './record-decisions';
import { addSettled, NOTHING_SETTLED, settleDue } from './settle';

/**
 * Settle a batch of due timers, and report the firings that now wait for their start. A large batch is written by two
 * transactions at once: Postgres writes one while the other is prepared.
 */
export async function settlePage(context: TriggerContext, due: DueTimer[], now: number): Promise<Settled> {
  const plans = await planDue(context, due, now);
  const half = plans.length > context.limits.batchSize ? Math.ceil(plans.length / 2) : plans.length;
  const ends = await Promise.allSettled(
    [plans.slice(0, half), plans.slice(half)].map((part) => settlePart(context, part, now)),
  );
  const settled = NOTHING_SETTLED();
  for (const end of ends) {
    if (end.status === 'rejected') throw end.reason;
    addSettled(settled, end.value);
  }
  return settled;
}

async function settlePart(context: TriggerContext, plans: DuePlan[], now: number): Promise<Settled> {
  const settled = await settleDue(context, plans, now, new Map());
  context.waiting.claimed(settled.claimed);
  for (const suspect of settled.suspects) context.suspects.set(suspect.scheduleId, suspect);
  return settled;
}
