import { readReach } from '../store/triggers';
import { UNANSWERED_STATUSES } from '../temporal/errors';
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

/** Note what the live triggers report about these namespaces, which refuse every call of this trigger. */
export async function noteReach(
  { store, waiting }: TriggerContext,
  namespaces: TemporalNamespace[],
  now: number,
): Promise<void> {
  if (namespaces.length === 0) return;
  const names = namespaces.map(({ name }) => name);
  const reported = { now: new Date(now), unanswered: UNANSWERED_STATUSES };
  for (const { namespace, isOpen, isKnown } of await readReach(store, names, reported)) {
    const expected = waiting.of(namespace);
    expected.closedSince = isOpen ? undefined : (expected.closedSince ?? now);
    expected.unknownSince = isKnown ? undefined : (expected.unknownSince ?? now);
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
  return Math.max(refusedSince, waiting.of(namespace).closedSince ?? now);
}

/**
 * Whether the namespace has been missing for as long as a failing start is retried. Another trigger may ask another
 * server, which may be silent, so all triggers must have reported the namespace as missing for that long.
 */
export function isDeleted({ clock, limits, temporal, waiting }: TriggerContext, namespace: string): boolean {
  const { missingSince } = temporal.of(namespace);
  const { unknownSince } = waiting.of(namespace);
  if (missingSince === undefined || unknownSince === undefined) return false;
  return clock.now() - Math.max(missingSince, unknownSince) >= limits.refusedAtMostMilliseconds;
}
