import { readExpired } from '../../store/firings/waiting';
import type { TemporalNamespace } from '../../temporal/namespace';
import type { TriggerContext } from '../context';
import { giveUpEach } from '../recover/give-up-each';

/** Pause between two reads of what waits in a namespace that refuses everything: each read goes through all of it. */
const CHECK_MILLISECONDS = 10_000;

/** Namespaces that answer and refuse all, and whose firings are to be checked now: they may have to be given up. */
export function refusedToCheck({ temporal, waiting }: TriggerContext, now: number): TemporalNamespace[] {
  return temporal
    .away()
    .filter(
      ({ name, refusedSince }) =>
        refusedSince !== undefined && now - waiting.of(name).expiredCheckedAt >= CHECK_MILLISECONDS,
    );
}

/**
 * Give up what waits in namespaces that answer and refuse all: what is outside of its catch-up window, and what has been refused
 * for too long. Nobody would ever be told otherwise. Nothing of it was ever called.
 */
export async function giveUpRefused(
  context: TriggerContext,
  namespaces: TemporalNamespace[],
  now: number,
): Promise<number> {
  let abandoned = 0;
  for (const namespace of namespaces) {
    // It may answer by now.
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
