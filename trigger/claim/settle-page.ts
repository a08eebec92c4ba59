import { isOfRowAlone } from '../../store/postgres-errors';
import type { DueTimer } from '../../store/schedules/due';
import type { TriggerContext } from '../context';
import { addSettled, NOTHING_SETTLED, settleDue } from './decide-and-claim';
import type { DuePlan } from './due-plan';
import { planDue } from './plan-due';
import type { Settled } from './record-decisions';

/**
 * Decide about a batch of due timers, and report the firings that now wait for their start. In a batch of the usual
 * size, schedules that fire are decided before those that were only created, changed or woken. So their starts can
 * already be called while the other schedules are decided.
 *
 * @param refused gets the error if Postgres refuses every row of a group of 16 or more, so that other batches are still
 * claimed
 */
export async function settlePage(
  context: TriggerContext,
  due: DueTimer[],
  now: number,
  refused: Error[],
): Promise<Settled> {
  const plans = await planDue(context, due, now);
  const settled = NOTHING_SETTLED();
  const failures: unknown[] = [];
  for (const parts of turnsOf(context, plans)) {
    const ends = await Promise.allSettled(parts.map((part) => settlePart(context, part, now)));
    // If one group fails, the next group is decided anyway.
    for (const end of ends) {
      if (end.status === 'fulfilled') addSettled(settled, end.value);
      else if (isOfRowAlone(end.reason)) refused.push(end.reason);
      else failures.push(end.reason);
    }
  }
  if (failures.length > 0) throw failures[0];
  return settled;
}

/**
 * Groups of plans: one group is decided after the other, each in transactions that run side by side. A large batch is
 * one group in two transactions: Postgres writes one while this process prepares the other.
 */
function turnsOf({ limits }: TriggerContext, plans: DuePlan[]): DuePlan[][][] {
  if (plans.length > limits.batchSize) {
    const half = Math.ceil(plans.length / 2);
    return [[plans.slice(0, half), plans.slice(half)]];
  }
  const [first, second]: [DuePlan[], DuePlan[]] = [[], []];
  for (const due of plans) (isUrgent(due) ? first : second).push(due);
  return [[first], [second]].filter(([part]) => part!.length > 0);
}

/**
 * Whether a schedule belongs to the first group. Every schedule of a tenant with a quota belongs to the first group,
 * since a quota is divided among the schedules of one transaction.
 */
function isUrgent({ timer, plan }: DuePlan): boolean {
  return plan.firings.length > 0 || timer.metered;
}

async function settlePart(context: TriggerContext, plans: DuePlan[], now: number): Promise<Settled> {
  const settled = await settleDue(context, plans, now, new Map());
  context.waiting.claimed(settled.claimed);
  for (const suspect of settled.suspects) context.suspects.set(suspect.scheduleId, suspect);
  return settled;
}
