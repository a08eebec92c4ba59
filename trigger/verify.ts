import { readTimers } from '../store/due';
import type { OpenFiring } from '../store/open-firings';
import { TemporalCallError } from '../temporal/port';
import { isHeld } from './adoption';
import { lookUpChain } from './chain';
import { type EndedChain, recordEnds } from './close';
import { concurrently, isDone } from './concurrently';
import type { TriggerContext } from './context';
import { holdersOf, type Suspect, type VerifiedHolders } from './decide';
import { planDue } from './plan-due';
import type { Settled } from './record-decisions';
import { settleDue } from './settle';

/** What one verify pass did. */
export interface VerifyResult extends Omit<Settled, 'suspects' | 'interrupts' | 'locked' | 'isCut' | 'nextWakeAt'> {
  /** Schedules whose overlap could not be settled yet: Temporal did not answer, or other firings hold them by now. */
  postponed: string[];
}

/**
 * Settle the schedules that overlap would make skip. The ledger learns of an end a little later than it happens, and
 * nothing is to be skipped for that: so Temporal is asked, outside of any transaction, and a schedule then skips only if
 * what holds it is exactly what Temporal has confirmed.
 */
export async function verify(context: TriggerContext): Promise<VerifyResult> {
  if (isHeld(context.adoption)) context.suspects.clear();
  const suspects = [...context.suspects.values()].slice(0, context.limits.batchSize);
  for (const { scheduleId } of suspects) context.suspects.delete(scheduleId);
  const verified = await askTemporal(context, suspects);

  const timers = verified.size === 0 ? [] : await readTimers(context.store, [...verified.keys()]);
  const now = context.clock.now();
  const {
    claimed,
    skipped,
    buffered,
    gaps,
    suspects: left,
  } = await settleDue(context, await planDue(context, timers, now), now, verified);
  context.queue.add(claimed, now);
  const unverified = suspects.filter((suspect) => !verified.has(suspect.scheduleId));
  return { claimed, skipped, buffered, gaps, postponed: [...unverified, ...left].map((suspect) => suspect.scheduleId) };
}

/** Which firings still hold each schedule, having closed those that have ended. Without an answer for all, none is given. */
async function askTemporal(context: TriggerContext, suspects: Suspect[]): Promise<VerifiedHolders> {
  // A namespace that does not answer is not asked again in this pass.
  const away = new Set<string>();
  const looks = await concurrently(suspects, context.limits.startsInFlight, context.stopping, (suspect) =>
    look(context, suspect, away),
  );
  const answered = looks.filter(isDone).filter((one) => one.answered);
  await recordEnds(
    context,
    looks.filter(isDone).flatMap((one) => one.ended),
  );
  return new Map(answered.map((one) => [one.scheduleId, holdersOf(one.running)]));
}

async function look(context: TriggerContext, { scheduleId, holding }: Suspect, away: Set<string>) {
  const running: OpenFiring[] = [];
  const ended: EndedChain[] = [];
  for (const firing of holding) {
    // Never attempted: it is still to run, and Temporal cannot know it.
    if (firing.state === 'claimed' && !firing.startAttemptedAt) {
      running.push(firing);
      continue;
    }
    if (away.has(firing.namespace)) return { scheduleId, running, ended, answered: false };
    const reference = { ...firing, workflowId: firing.workflowId! };
    try {
      const chain = await lookUpChain(context, reference);
      if (chain.state === 'closed') ended.push({ firing: reference, closed: chain.closed });
      else running.push(firing);
    } catch (error) {
      if (!(error instanceof TemporalCallError)) throw error;
      if (error.kind !== 'rejected') away.add(firing.namespace);
      return { scheduleId, running, ended, answered: false };
    }
  }
  return { scheduleId, running, ended, answered: true };
}
