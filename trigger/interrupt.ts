import { cancelRequestIdOf } from '../core/identity';
import { type DueInterrupt, readDueInterrupts, recordInterrupted } from '../store/interrupt';
import { TemporalCallError } from '../temporal/port';
import { lookUpChain } from './chain';
import { type EndedChain, recordEnds } from './close';
import { concurrently, isDone } from './concurrently';
import { firingFields, type TriggerContext } from './context';

/** What one interrupt pass did. */
export interface InterruptResult {
  /** Chains that Temporal was told to cancel or terminate. */
  sent: number;
  /** Of these, those that have ended already. */
  closed: number;
  /** Temporal did not answer for these; the next pass tells it again. */
  unanswered: number;
}

/**
 * End the chains that overlap or a time limit wants ended. Temporal is told first and the row marked afterwards: whoever
 * dies in between leaves an interrupt that is sent again, which is harmless.
 */
export async function interrupt(context: TriggerContext): Promise<InterruptResult> {
  const now = context.clock.now();
  // A namespace that does not answer is not asked again in this pass, and does not keep the others from their turn.
  const away = new Set<string>();
  const total: InterruptResult = { sent: 0, closed: 0, unanswered: 0 };
  for (;;) {
    const known = away.size;
    const page = await readDueInterrupts(context.store, new Date(now), context.limits.batchSize, away);
    for (const { namespace } of page) if (context.breakers.openUntil(namespace, now) !== undefined) away.add(namespace);
    const { sent, closed, unanswered } = await interruptPage(context, page, away);
    total.sent += sent;
    total.closed += closed;
    total.unanswered += unanswered;
    if (page.length < context.limits.batchSize || away.size === known) return total;
  }
}

async function interruptPage(
  context: TriggerContext,
  due: DueInterrupt[],
  away: Set<string>,
): Promise<InterruptResult> {
  const tells = await concurrently(due, context.limits.startsInFlight, context.stopping, (one) =>
    tell(context, one, away),
  );
  const sent = tells.filter(isDone);
  await recordInterrupted(
    context.store,
    sent.map((one) => one.interrupt),
    new Date(context.clock.now()),
  );
  const closed = await recordEnds(context, sent.map((one) => one.ended).filter(isDone));
  return { sent: sent.length, closed, unanswered: due.length - sent.length };
}

/** Undefined when Temporal did not answer. */
async function tell(context: TriggerContext, due: DueInterrupt, away: Set<string>) {
  if (away.has(due.namespace)) return undefined;
  const { temporal, logger } = context;
  const target = { namespace: due.namespace, workflowId: due.workflowId, firstRunId: due.runId };
  const reason = `asked for by schedule '${due.scheduleId}'`;
  try {
    if (due.kind === 'cancel') {
      const requestId = cancelRequestIdOf(context.installationId, due, due.epoch);
      await temporal.requestCancel(target, { requestId, reason });
    } else {
      await temporal.terminate(target, { reason });
    }
    logger.info('interrupted', { ...firingFields(due), interrupt: due.kind });
    return { interrupt: due, ended: await endOf(context, due) };
  } catch (error) {
    if (!(error instanceof TemporalCallError)) throw error;
    logger.warn('interrupt deferred: Temporal does not answer', { ...firingFields(due), error: error.message });
    away.add(due.namespace);
    return undefined;
  }
}

/** A terminated chain has ended at once, and others wait for that. */
async function endOf(context: TriggerContext, due: DueInterrupt): Promise<EndedChain | undefined> {
  const chain = await lookUpChain(context, due);
  return chain.state === 'closed' ? { firing: due, closed: chain.closed } : undefined;
}
