import { readExpired } from '../../store/firings/waiting';
import { readReachable } from '../../store/triggers';
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

/** Note in which of these namespaces, which refuse every call of this trigger, another one may start firings. */
export async function noteReachable(
  { store, waiting }: TriggerContext,
  namespaces: TemporalNamespace[],
  now: number,
): Promise<void> {
  if (namespaces.length === 0) return;
  const names = namespaces.map(({ name }) => name);
  const reachable = await readReachable(store, names, new Date(now));
  for (const name of names) {
    const expected = waiting.of(name);
    expected.unreachableSince = reachable.includes(name) ? undefined : (expected.unreachableSince ?? now);
  }
}

/**
 * Since when the namespace has refused every call of every trigger, in epoch milliseconds: `now` if another may
 * be answered. Undefined if this one is answered. A trigger that is away for a moment goes on with what waits.
 */
export function refusedToAllSince(
  { temporal, waiting }: TriggerContext,
  namespace: string,
  now: number,
): number | undefined {
  const { refusedSince } = temporal.of(namespace);
  if (refusedSince === undefined) return undefined;
  return Math.max(refusedSince, waiting.of(namespace).unreachableSince ?? now);
}

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
    const { isFull, count } = await giveUpPage(context, name, new Date(refusedSince), now);
    if (!isFull) context.waiting.of(name).expiredCheckedAt = now;
    abandoned += count;
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
