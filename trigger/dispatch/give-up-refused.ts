import { readExpired } from '../../store/firings/waiting';
import type { TemporalNamespace } from '../../temporal/namespace';
import type { TriggerContext } from '../context';
import { giveUpEach } from '../recover/give-up';

/**
 * The pause between two checks of a namespace that refuses every call, since a check may read all waiting firings of
 * the namespace.
 */
const CHECK_MILLISECONDS = 10_000;

/**
 * Namespaces that refuse every call and whose waiting firings are to be checked now, since some may have to be abandoned.
 */
export function refusedToCheck({ temporal, waiting }: TriggerContext, now: number): TemporalNamespace[] {
  return temporal
    .away()
    .filter(
      ({ name, refusedSince }) =>
        refusedSince !== undefined && now - waiting.of(name).expiredCheckedAt >= CHECK_MILLISECONDS,
    );
}

/**
 * Abandon firings that wait in namespaces that refuse every call: those whose catch-up window is over, and those that
 * no live trigger may start and whose namespace has refused for too long since their claim. The start of these firings
 * was never called.
 */
export async function giveUpRefused(
  context: TriggerContext,
  namespaces: TemporalNamespace[],
  now: number,
): Promise<number> {
  let abandoned = 0;
  for (const namespace of namespaces) {
    // By now the namespace may accept calls again.
    if (namespace.refusedSince === undefined) continue;
    const { isFull, count } = await giveUpPage(context, namespace, now);
    if (!isFull) context.waiting.of(namespace.name).expiredCheckedAt = now;
    abandoned += count;
  }
  return abandoned;
}

async function giveUpPage(context: TriggerContext, { name, refusedSince }: TemporalNamespace, now: number) {
  const { refusedAtMostMilliseconds, batchSize } = context.limits;
  const expired = await readExpired(context.store, {
    namespace: name,
    now: new Date(now),
    refusedSince: new Date(refusedSince!),
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
