import { counted } from '../core/counted';
import { DatabaseClock } from './clock';
import type { TriggerContext } from './context';
import { heldNamespaces, heldSchedules } from './recover/adoption';

/** The state of a trigger; the states have the names of a Worker's states. */
export type TriggerState = 'INITIALIZED' | 'RUNNING' | 'STOPPING' | 'STOPPED';

/** A trigger's health, as the trigger itself reports it. */
export interface TriggerHealth {
  /** The trigger's state. */
  state: TriggerState;
  /**
   * Whether the trigger runs, has a recent heartbeat in Postgres, has reached Temporal since it started, and is not
   * blocked by a failover for all schedules.
   */
  isReady: boolean;
  /**
   * Texts for people: why the trigger is not ready, and what blocks a part of the schedules, such as a namespace that
   * does not answer or firings that a failover may have lost.
   */
  reasons: string[];
}

/**
 * If one namespace does not answer, the trigger is still ready: the other namespaces continue. A trigger that has never
 * reached Temporal is not ready: its settings may be wrong, and a rollout must not continue.
 */
export function healthOf({ adoption, clock, settings, temporal }: TriggerContext, state: TriggerState): TriggerHealth {
  const reasons: string[] = [];
  if (state !== 'RUNNING') reasons.push(`the trigger is ${state}`);
  const readAt = clock instanceof DatabaseClock ? clock.readAt : performance.now();
  const age = readAt === undefined ? Number.POSITIVE_INFINITY : performance.now() - readAt;
  if (age > settings.staleAfterMilliseconds) {
    const since = Number.isFinite(age) ? `for ${Math.round(age / 1_000)} s` : 'yet';
    reasons.push(`Postgres has not accepted a heartbeat ${since}`);
  }
  if (adoption.held === 'all') {
    reasons.push('the database was replaced, and nothing is claimed until Temporal has reported what it started');
  }
  if (temporal.unreached !== undefined) {
    reasons.push(`Temporal has not answered since the trigger started: ${temporal.unreached}`);
  }
  const isReady = reasons.length === 0;
  for (const { name, error } of temporal.away()) {
    const how = error?.kind === 'refused' ? 'refuses every call' : 'does not answer';
    reasons.push(`namespace '${name}' ${how}: ${error?.message ?? 'not asked yet'}`);
  }
  for (const name of heldNamespaces(adoption)) {
    reasons.push(`namespace '${name}' is held until it has reported what it started, since the database was replaced`);
  }
  const waiting = heldSchedules(adoption);
  if (waiting.length > 0) {
    const which = counted(waiting.length, 'schedule waits', 'schedules wait');
    reasons.push(
      `${which} for the rows of lost firings: '${waiting[0]}'${waiting.length > 1 ? ' and others' : ''}; somebody keeps them locked, Postgres refuses the rows, or Temporal does not describe the runs`,
    );
  }
  return { state, isReady, reasons };
}
