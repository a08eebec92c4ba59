import { pollNext } from '../../store/firings/interrupt';
import { refuseRedrive } from '../../store/letters/carry-out-redrive';
import { type PendingRedrive, postponeRedrive } from '../../store/letters/redrive';
import { RESUMED_LATER, type ResumedWith } from '../../store/letters/settle-resumed';
import { TemporalCallError } from '../../temporal/port';
import { firingFields, later, type TriggerContext } from '../context';

export type End = 'restarted' | 'resumed' | 'decided' | 'refused' | 'postponed';

/** A redrive that must wait for its turn among many is tried again after this time. */
const TURN_MILLISECONDS = 1_000;

/**
 * Decides about a redrive after a failed call. If Temporal did not answer, is busy or refuses the whole namespace, the
 * redrive is tried again. Otherwise the redrive ends. @param what the call, for the letter's note
 */
export async function unanswered(
  context: TriggerContext,
  pending: PendingRedrive,
  error: unknown,
  what: string,
): Promise<End> {
  if (!(error instanceof TemporalCallError)) throw error;
  const { reconcileIntervalMilliseconds, startDeadlineMilliseconds } = context.limits;
  if (error.kind !== 'away' && error.kind !== 'busy' && !error.ofNamespace)
    return refuse(context, pending, `Temporal refused to ${what}: ${error.message}`);
  await postponeRedrive(
    context.store,
    pending,
    // A request that is on its way may still succeed, and a second request could make the server reset the chain once
    // more.
    later(context.clock.now(), error.unsent ? reconcileIntervalMilliseconds : startDeadlineMilliseconds),
    { isTried: !(error.unsent && error.ofNamespace) },
  );
  return 'postponed';
}

/** Called if the turn of the redrive has not come, its lease is over, or another trigger has settled it. */
export async function waitItsTurn(context: TriggerContext, pending: PendingRedrive): Promise<End> {
  if (pending.request.inTurn) {
    const lookAt = later(context.clock.now(), TURN_MILLISECONDS);
    await postponeRedrive(context.store, pending, lookAt, { isTried: false });
  }
  return 'postponed';
}

/** Called if the end of the chain must be recorded first, which decides the letter too. Its firing is polled next. */
export async function waitForEnd(context: TriggerContext, pending: PendingRedrive): Promise<End> {
  const now = context.clock.now();
  await pollNext(context.store, [pending], new Date(now));
  await postponeRedrive(context.store, pending, later(now, context.limits.checkAfterMilliseconds));
  return 'postponed';
}

export async function refuse(context: TriggerContext, pending: PendingRedrive, why: string): Promise<End> {
  const note = `not redriven: ${why}`;
  if (!(await refuseRedrive(context.store, pending, note, new Date(context.clock.now())))) return 'postponed';
  logRefusal(context, pending, why);
  return 'refused';
}

export function logRefusal(context: TriggerContext, pending: PendingRedrive, reason: string): void {
  context.logger.warn('redrive refused', { ...firingFields(pending), letterId: pending.letterId, reason });
}

export function logRedriven(context: TriggerContext, pending: PendingRedrive): void {
  const { letterId, request, actor } = pending;
  context.logger.info('redriven', { ...firingFields(pending), letterId, mode: request.mode, actor });
}

/** Logs what the resume of a run has done to another letter of its firing. */
export function logResumedWith(context: TriggerContext, resumed: PendingRedrive, other: ResumedWith): void {
  const { letterId, actor, became } = other;
  if (became === 'resumed') logRedriven(context, { ...resumed, letterId, actor });
  else if (became === 'refused') logRefusal(context, { ...resumed, letterId }, RESUMED_LATER);
  else context.logger.info('parked again', { ...firingFields(resumed), letterId });
}
