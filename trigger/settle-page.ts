import type { DueTimer } from '../store/due';
import { earliest } from './advance';
import type { TriggerContext } from './context';
import { planDue } from './plan-due';
import type { Settled } from './record-decisions';
import { NOTHING_SETTLED, settleDue } from './settle';

/**
 * Settle a page of timers that are due, and queue what was claimed. What has grown beyond a batch is settled by halves at
 * once, each with a transaction of its own: Postgres writes one while the other is planned.
 */
export async function settlePage(context: TriggerContext, due: DueTimer[], now: number): Promise<Settled> {
  const half = due.length > context.limits.batchSize ? Math.ceil(due.length / 2) : due.length;
  const ends = await Promise.allSettled(
    [due.slice(0, half), due.slice(half)].map((part) => settlePart(context, part, due.length, now)),
  );
  const settled = NOTHING_SETTLED();
  for (const end of ends) {
    if (end.status === 'rejected') throw end.reason;
    addTo(settled, end.value);
  }
  return settled;
}

async function settlePart(context: TriggerContext, due: DueTimer[], ofPage: number, now: number): Promise<Settled> {
  const plans = await planDue(context, due, now, ofPage);
  const settled = await settleDue(context, plans, now, new Map());
  context.queue.add(settled.claimed, now);
  for (const suspect of settled.suspects) context.suspects.set(suspect.scheduleId, suspect);
  return settled;
}

function addTo(all: Settled, part: Settled): void {
  addWritten(all, part);
  all.suspects.push(...part.suspects);
  all.interrupts.push(...part.interrupts);
  all.nextWakeAt = earliest(all.nextWakeAt, part.nextWakeAt);
}

/** Add what one transaction wrote to what others did. */
export function addWritten(all: Written, part: Written): void {
  // Of a long page these are too many for the arguments of one call.
  all.claimed = all.claimed.concat(part.claimed);
  all.skipped = all.skipped.concat(part.skipped);
  all.buffered = all.buffered.concat(part.buffered);
  all.gaps = all.gaps.concat(part.gaps);
  all.locked += part.locked;
}

type Written = Pick<Settled, 'claimed' | 'skipped' | 'buffered' | 'gaps' | 'locked'>;
