import { readReachable } from '../store/triggers';
import type { TemporalNamespace } from '../temporal/namespace';
import type { TriggerContext } from './context';

/**
 * The pause between two checks of a namespace that refuses every call, since a check may read all waiting firings of
 * the namespace.
 */
const CHECK_MILLISECONDS = 10_000;

export function refusedToCheck({ temporal, waiting }: TriggerContext, now: number): TemporalNamespace[] {
  return temporal
    .away()
    .filter(
      ({ name, refusedSince }) =>
        refusedSince !== undefined && now - waiting.of(name).expiredCheckedAt >= CHECK_MILLISECONDS,
    );
}

/** Note in which of these namespaces another trigger may start firings. They refuse every call of this trigger. */
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
 * Since when the namespace has refused every call of every trigger, in epoch milliseconds. Returns `now` if another
 * trigger may be answered, and undefined unless this trigger is refused.
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
 * Whether the namespace has not existed for as long as a failing start is retried. Another trigger may ask another
 * server, so the namespace must have refused every trigger meanwhile.
 */
export function isDeleted(context: TriggerContext, namespace: string): boolean {
  const { missingSince } = context.temporal.of(namespace);
  if (missingSince === undefined) return false;
  const now = context.clock.now();
  const since = Math.max(missingSince, refusedToAllSince(context, namespace, now) ?? now);
  return now - since >= context.limits.refusedAtMostMilliseconds;
}
