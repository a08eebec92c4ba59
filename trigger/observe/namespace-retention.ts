import { TemporalCallError } from '../../temporal/port';
import type { TriggerContext } from '../context';

/** The retention changes rarely, and is only used to show until when a run can be resumed. */
const ASKED_AGAIN_AFTER_MILLISECONDS = 3_600_000;

const known = new WeakMap<TriggerContext, Map<string, { retention: number | undefined; at: number }>>();

/**
 * How long a namespace keeps ended workflows, in milliseconds; undefined if it did not say so when it was last asked.
 */
export async function retentionOf(context: TriggerContext, namespace: string): Promise<number | undefined> {
  const now = context.clock.now();
  const retentions = known.get(context) ?? new Map<string, { retention: number | undefined; at: number }>();
  known.set(context, retentions);
  const before = retentions.get(namespace);
  if (before && now - before.at < ASKED_AGAIN_AFTER_MILLISECONDS) return before.retention;
  const retention = await context.temporal
    .of(namespace)
    .retention()
    .catch((error: unknown) => {
      if (!(error instanceof TemporalCallError)) throw error;
      return undefined;
    });
  retentions.set(namespace, { retention, at: now });
  return retention;
}
