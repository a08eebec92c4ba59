import type { OpenFiring } from '../store/claim';
import { type ClosedFiring, closeFirings } from '../store/close';
import { lookUpChain } from './chain';
import { concurrently } from './concurrently';
import { firingFields, type TriggerContext } from './context';
import { holdersOf, type Suspect, type VerifiedHolders } from './settle';
import { TemporalCallError } from './temporal';

/**
 * Ask Temporal whether the firings that hold these schedules are still running, and close those that are not: the
 * ledger learns of an end a little later than it happens, and nobody is to be skipped for that. Schedules of which
 * Temporal does not answer for all are left out.
 */
export async function verifyOpenChains(context: TriggerContext, suspects: Suspect[]): Promise<VerifiedHolders> {
  const looks = await concurrently(suspects, context.limits.startsInFlight, (suspect) => verify(context, suspect));
  const ended = looks.flatMap((look) => look?.ended ?? []);
  await closeFirings(context.store, ended, new Date(context.clock.now()));
  for (const closed of ended) context.logger.info('closed', { ...firingFields(closed), outcome: closed.outcome });

  const verified: VerifiedHolders = new Map();
  for (const look of looks) if (look) verified.set(look.scheduleId, holdersOf(look.running));
  return verified;
}

async function verify(context: TriggerContext, { scheduleId, holding }: Suspect) {
  const running: OpenFiring[] = [];
  const ended: ClosedFiring[] = [];
  for (const firing of holding) {
    // Never attempted: it is still to run, and Temporal cannot know it.
    if (firing.state === 'claimed' && !firing.startAttemptedAt) {
      running.push(firing);
      continue;
    }
    try {
      const chain = await lookUpChain(context, { ...firing, workflowId: firing.workflowId!, epoch: firing.epoch });
      if (chain.state === 'closed') ended.push(chain.closed);
      else running.push(firing);
    } catch (error) {
      if (error instanceof TemporalCallError) return undefined;
      throw error;
    }
  }
  return { scheduleId, running, ended };
}
