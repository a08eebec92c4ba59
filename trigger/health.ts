import { DatabaseClock } from './clock';
import type { TriggerContext } from './context';

/** Life of a trigger, as a Worker's. */
export type TriggerState = 'INITIALIZED' | 'RUNNING' | 'STOPPING' | 'STOPPED';

/** What a trigger says of itself. */
export interface TriggerHealth {
  /** Where it is in its life. */
  state: TriggerState;
  /** Whether it runs, and Postgres has taken a sign of life of it that is not too old. */
  isReady: boolean;
  /** Why it is not ready, and which namespaces of Temporal do not answer; for people. */
  reasons: string[];
}

/** A namespace that does not answer makes no trigger unready: the others go on. */
export function healthOf({ clock, settings, temporal }: TriggerContext, state: TriggerState): TriggerHealth {
  const reasons: string[] = [];
  if (state !== 'RUNNING') reasons.push(`the trigger is ${state}`);
  const readAt = clock instanceof DatabaseClock ? clock.readAt : performance.now();
  const age = readAt === undefined ? Number.POSITIVE_INFINITY : performance.now() - readAt;
  if (age > settings.staleAfterMilliseconds) {
    const since = Number.isFinite(age) ? `for ${Math.round(age / 1_000)} s` : 'yet';
    reasons.push(`Postgres has not taken a sign of life ${since}`);
  }
  const isReady = reasons.length === 0;
  for (const { name, error } of temporal.away()) {
    reasons.push(`namespace '${name}' does not answer: ${error?.message ?? 'not asked yet'}`);
  }
  return { state, isReady, reasons };
}
