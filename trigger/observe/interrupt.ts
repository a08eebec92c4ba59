import { cancelRequestIdOf } from '../../core/identity';
import { type DueInterrupt, readDueInterrupts, recordInterrupted } from '../../store/firings/interrupt';
import { TemporalCallError } from '../../temporal/port';
import { byHalves } from '../by-halves';
import { concurrently, isDone } from '../concurrently';
import { firingFields, type TriggerContext } from '../context';
import type { GoOn } from '../lanes';
import { lookUpChain } from './chain';
import { type EndedChain, recordEnds } from './close';

/** The result of one interrupt pass. */
export interface InterruptResult {
  /** Chains for which Temporal accepted a cancel or terminate. */
  sent: number;
  /** Interrupted chains whose end this pass recorded. */
  closed: number;
  /** Chains for which Temporal did not answer, or refused. A later pass sends the interrupt again. */
  unanswered: number;
}

/**
 * Cancel or terminate chains, because another firing overlaps with them or because their soft timeout is over. The
 * interrupt is sent to Temporal first, and the row is marked afterwards. After a crash in between, the interrupt is
 * sent again, which is harmless.
 */
export async function interrupt(context: TriggerContext, goOn: GoOn = () => {}): Promise<InterruptResult> {
  const { store, clock, limits, lanes, temporal } = context;
  const now = new Date(clock.now());
  // A namespace that does not answer must not delay the others.
  const without = new Set(temporal.leftAlone());
  const total: InterruptResult = { sent: 0, closed: 0, unanswered: 0 };
  for (;;) {
    const known = without.size;
    const page = await readDueInterrupts(store, now, limits.batchSize, [...without, ...lanes.interrupt.busy]);
    const working = lanes.interrupt.run(page, (share) => interruptShare(context, share));
    goOn();
    for (const { namespace, sent, closed, unanswered } of await working) {
      total.sent += sent;
      total.closed += closed;
      total.unanswered += unanswered;
      if (unanswered > 0) without.add(namespace);
    }
    if (page.length < limits.batchSize || without.size === known) return total;
  }
}

async function interruptShare(context: TriggerContext, due: DueInterrupt[]) {
  const tells = await concurrently(due, context.limits.startsInFlight, context.stopping, (one) => tell(context, one));
  const sent = tells.filter(isDone);
  await byHalves(
    context,
    'the record of an interrupt',
    sent.map((one) => one.interrupt),
    (part) => recordInterrupted(context.store, part, new Date(context.clock.now())),
  );
  const closed = await recordEnds(context, sent.map((one) => one.ended).filter(isDone));
  return { namespace: due[0]!.namespace, sent: sent.length, closed, unanswered: due.length - sent.length };
}

/** Sends one interrupt, and looks the chain up. Returns undefined if Temporal did not answer a call, or refused it. */
async function tell(context: TriggerContext, due: DueInterrupt) {
  const { logger } = context;
  const temporal = context.temporal.of(due.namespace);
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
    // A namespace that does not answer is logged once, not for each of its chains.
    if (!error.ofNamespace) {
      const { namespace } = due;
      logger.warn('interrupt postponed', {
        ...firingFields(due),
        namespace,
        interrupt: due.kind,
        error: error.message,
      });
    }
    return undefined;
  }
}

async function endOf(context: TriggerContext, due: DueInterrupt): Promise<EndedChain | undefined> {
  const chain = await lookUpChain(context, due);
  return chain.state === 'closed' ? { firing: due, closed: chain.closed } : undefined;
}
