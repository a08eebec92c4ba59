import { StatementTimeoutError } from '../../core/errors';
import { readExpired } from '../../store/firings/waiting';
import type { TemporalNamespace } from '../../temporal/namespace';
import type { TriggerContext } from '../context';
import { giveUpEach } from '../recover/give-up';
import { refusedToAllSince } from '../refused-namespaces';

/**
 * Abandon firings that wait in namespaces that refuse every call: those whose catch-up window is over, and those whose
 * namespace has refused every trigger for too long since their claim. The start of these firings was never called.
 */
export async function giveUpRefused(
  context: TriggerContext,
  namespaces: TemporalNamespace[],
  now: number,
): Promise<number> {
  let abandoned = 0;
  for (const { name } of namespaces) {
    const refusedSince = refusedToAllSince(context, name, now);
    // By now the namespace may accept calls again.
    if (refusedSince === undefined) continue;
    const expected = context.waiting.of(name);
    const checkedBefore = expected.expiredCheckedAt;
    // The next pass may begin beside this one. It must not read the same rows.
    expected.expiredCheckedAt = now;
    try {
      const { isFull, count } = await giveUpPage(context, name, new Date(refusedSince), now);
      if (isFull) expected.expiredCheckedAt = checkedBefore;
      abandoned += count;
    } catch (error) {
      // Takeovers, redrives and interrupts of all namespaces depend on this pass, so it must not fail with the check.
      if (!(error instanceof StatementTimeoutError)) throw error;
      expected.expiredCheckedAt = context.clock.now();
      context.logger.warn('the check for waiting firings to abandon took too long; it is tried again', {
        namespace: name,
        error: error.message,
      });
    }
  }
  return abandoned;
}

async function giveUpPage(context: TriggerContext, namespace: string, refusedSince: Date, now: number) {
  const { refusedAtMostMilliseconds, batchSize } = context.limits;
  const expired = await readExpired(context.store, {
    namespace,
    now: new Date(now),
    refusedSince,
    refusedAtMostMilliseconds,
    limit: batchSize,
  });
  const decidedOn = { owner: null, startAttemptedAt: null };
  const ended = await giveUpEach(
    context,
    expired.map((firing) => ({ firing, end: { state: 'abandoned', reason: firing.expiredBy }, decidedOn })),
  );
  return { isFull: expired.length === batchSize && ended.size > 0, count: ended.size };
}
