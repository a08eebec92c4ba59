import type { OpenFiring } from '../store/claim';
import { lookUpChain } from './chain';
import { type EndedChain, recordEnds } from './close';
import { concurrently } from './concurrently';
import type { TriggerContext } from './context';
import { holdersOf, type Suspect, type VerifiedHolders } from './settle';
import { TemporalCallError } from './temporal';

/**
 * Ask Temporal whether the firings that hold these schedules are still running, and close those that are not: the
 * ledger learns of an end a little later than it happens, and nobody is to be skipped for that. Schedules of which
 * Temporal does not answer for all are left out.
 */
export async function verifyOpenChains(context: TriggerContext, suspects: Suspect[]): Promise<VerifiedHolders> {
  const looks = await concurrently(suspects, context.limits.startsInFlight, (suspect) => verify(context, suspect));
  await recordEnds(
    context,
    looks.flatMap((look) => look?.ended ?? []),
  );

  const verified: VerifiedHolders = new Map();
  for (const look of looks) if (look) verified.set(look.scheduleId, holdersOf(look.running));
  return verified;
}

async function verify(context: TriggerContext, { scheduleId, holding }: Suspect) {
  const running: OpenFiring[] = [];
  const ended: EndedChain[] = [];
  for (const firing of holding) {
    // Never attempted: it is still to run, and Temporal cannot know it.
    if (firing.state === 'claimed' && !firing.startAttemptedAt) {
      running.push(firing);
      continue;
    }
    try {
      const reference = { ...firing, workflowId: firing.workflowId! };
      const chain = await lookUpChain(context, reference);
      if (chain.state === 'closed') ended.push({ firing: reference, closed: chain.closed });
      else running.push(firing);
    } catch (error) {
      if (error instanceof TemporalCallError) return undefined;
      throw error;
    }
  }
  return { scheduleId, running, ended };
}
