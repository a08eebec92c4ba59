import { setTimeout } from 'node:timers/promises';
import type { OpenFiring } from '../../store/firings/open-firings';
import { readTimers } from '../../store/schedules/due';
import { TemporalCallError } from '../../temporal/port';
import { concurrently, isDone } from '../concurrently';
import type { TriggerContext } from '../context';
import type { GoOn } from '../lanes';
import { lookUpChain } from '../observe/chain';
import { type EndedChain, recordEnds } from '../observe/close';
import { isHeld } from '../recover/adoption';
import type { VerifiedHolders } from './circumstances';
import { addWritten, NOTHING_SETTLED, settleDue } from './decide-and-claim';
import type { Suspect } from './due-plan';
import { planDue } from './plan-due';
import type { Settled } from './record-decisions';

/** How long the pass waits before it asks again about a schedule that was locked or has changed; doubles each time. */
const AGAIN_AFTER_MILLISECONDS = 25;
const AGAIN_AFTER_AT_MOST_MILLISECONDS = 100;

/** The result of one verify pass. */
export interface VerifyResult
  extends Omit<
    Settled,
    'suspects' | 'completed' | 'paused' | 'interrupts' | 'locked' | 'missed' | 'isCut' | 'nextWakeAt'
  > {
  /**
   * Schedules whose overlap is still undecided: Temporal did not answer or refused, or the schedule changed or was
   * locked.
   */
  postponed: string[];
}

/**
 * Decides about schedules with a firing that would be skipped because an open one overlaps, or that would end some of
 * several open ones. The ledger learns of a chain's end a little late, and this delay must not cause a skip or end
 * another chain. So the verify pass asks Temporal, outside any transaction. A schedule then skips only if this pass has
 * found all firings that block it to be still open, or as many of them as fill it. It ends some only if all are open.
 */
export async function verify(context: TriggerContext, goOn: GoOn = () => {}): Promise<VerifyResult> {
  if (isHeld(context.adoption)) context.suspects.clear();
  const suspects = takeSuspects(context);
  const working = context.lanes.verify.run(suspects, (share) => verifyShare(context, share));
  goOn();
  const result: VerifyResult = { claimed: [], skipped: [], buffered: [], gaps: [], postponed: [] };
  for (const one of await working) {
    addWritten(result, one);
    result.postponed.push(...one.postponed);
  }
  return result;
}

export function areSuspectsFree({ suspects, lanes }: TriggerContext): boolean {
  for (const suspect of suspects.values()) if (!lanes.verify.isBusy(namespaceOf(suspect))) return true;
  return false;
}

function takeSuspects({ suspects, lanes, limits }: TriggerContext): NamespaceSuspect[] {
  const taken: NamespaceSuspect[] = [];
  const sizes = new Map<string, number>();
  for (const suspect of suspects.values()) {
    const namespace = namespaceOf(suspect);
    const size = sizes.get(namespace) ?? 0;
    if (size >= limits.batchSize || lanes.verify.isBusy(namespace)) continue;
    sizes.set(namespace, size + 1);
    suspects.delete(suspect.scheduleId);
    taken.push({ ...suspect, namespace });
  }
  return taken;
}

type NamespaceSuspect = Suspect & { namespace: string };

function namespaceOf({ holding }: Suspect): string {
  return holding[0]!.namespace;
}

/**
 * While Temporal is asked, another process may write an end or a claim. A schedule to which this happens is asked about
 * again after a short pause, up to three times.
 */
async function verifyShare(context: TriggerContext, suspects: Suspect[]) {
  const all = NOTHING_SETTLED();
  const unverified: Suspect[] = [];
  let left = suspects;
  for (let pause = AGAIN_AFTER_MILLISECONDS; ; pause *= 2) {
    const settled = await verifyOnce(context, left);
    addWritten(all, settled);
    unverified.push(...settled.unverified);
    const missed = new Set(settled.missed.map(({ scheduleId }) => scheduleId));
    left = [...left.filter(({ scheduleId }) => missed.has(scheduleId)), ...settled.suspects];
    if (left.length === 0 || pause > AGAIN_AFTER_AT_MOST_MILLISECONDS || context.stopping.aborted) break;
    await setTimeout(pause);
  }
  return { ...all, postponed: [...unverified, ...left].map(({ scheduleId }) => scheduleId) };
}

async function verifyOnce(context: TriggerContext, suspects: Suspect[]) {
  // Only occurrences that were due before Temporal was asked are decided: the answer says nothing about later ones.
  const askedAt = context.clock.now();
  const verified = await askTemporal(context, suspects);
  const timers = verified.size === 0 ? [] : await readTimers(context.store, [...verified.keys()]);
  const plans = await planDue(context, timers, askedAt);
  const settled = await settleDue(context, plans, context.clock.now(), verified);
  context.waiting.claimed(settled.claimed);
  return { ...settled, unverified: suspects.filter(({ scheduleId }) => !verified.has(scheduleId)) };
}

/**
 * Closes blocking firings whose chains have ended, and returns the firings that still block each schedule. Leaves out
 * schedules with a firing about which a call failed.
 */
async function askTemporal(context: TriggerContext, suspects: Suspect[]): Promise<VerifiedHolders> {
  const { startsInFlight } = context.limits;
  // All suspects share the calls that may be in flight.
  const share = Math.max(1, Math.floor(startsInFlight / suspects.length));
  const answers = await concurrently(suspects, startsInFlight, context.stopping, (suspect) =>
    ask(context, suspect, share),
  );
  const answered = answers.filter(isDone).filter((one) => one.answered);
  await recordEnds(
    context,
    answers.filter(isDone).flatMap((one) => one.ended),
  );
  return new Map(answered.map(({ scheduleId, holders, begun }) => [scheduleId, { holders, begun }]));
}

/**
 * Asks until so many firings run that the others change no decision: at each step about as many as are missing, and
 * `callsAtOnce` at most.
 */
async function ask(context: TriggerContext, { scheduleId, holding, full }: Suspect, callsAtOnce: number) {
  const ended: EndedChain[] = [];
  let begun = 0;
  let answered = true;
  // If a firing's start is still to come, the firing holds the schedule whatever Temporal answers.
  const isUncalled = ({ state, startAttemptedAt }: OpenFiring) => state === 'claimed' && !startAttemptedAt;
  const holders = new Set(holding.filter(isUncalled).map(({ scheduledTime }) => scheduledTime.getTime()));
  const called = holding.filter((firing) => !isUncalled(firing));
  while (answered && begun < full && called.length > 0) {
    const next = called.splice(0, Math.min(full - begun, callsAtOnce));
    const found = await concurrently(next, next.length, context.stopping, (firing) => lookUp(context, firing));
    answered = found.every(isDone);
    for (const { firing, chain } of found.filter(isDone)) {
      if (chain.state === 'closed') ended.push({ firing, closed: chain.closed });
      else holders.add(firing.scheduledTime.getTime());
      if (chain.state === 'running') begun += 1;
    }
  }
  return { scheduleId, holders, begun, ended, answered };
}

/** Returns undefined if Temporal did not answer, or refused. */
async function lookUp(context: TriggerContext, open: OpenFiring) {
  const firing = { ...open, workflowId: open.workflowId! };
  try {
    return { firing, chain: await lookUpChain(context, firing) };
  } catch (error) {
    if (error instanceof TemporalCallError) return undefined;
    throw error;
  }
}
