import type { Logger } from '@temporalio/common';
import type { FiringKey } from '../core/firing';
import type { Store } from '../store/connection';
import type { Adoption } from './adopt';
import type { Backlog } from './backlog';
import type { Breakers } from './breaker';
import type { Clock } from './clock';
import type { Suspect } from './decide';
import type { Declined } from './declined';
import type { DefinitionCache } from './definitions';
import type { KnownMonths } from './months';
import type { StartQueue } from './queue';
import type { CappedStarts } from './start-caps';
import type { StartGates } from './start-gates';
import type { StartRate } from './start-rate';
import type { TemporalPort } from './temporal';

/** Limits and intervals of a trigger: `DEFAULTS.trigger`, each of which `Trigger.create` may change. */
export interface TriggerLimits {
  claimIntervalMilliseconds: number;
  heartbeatIntervalMilliseconds: number;
  staleAfterMilliseconds: number;
  reconcileIntervalMilliseconds: number;
  observeIntervalMilliseconds: number;
  sweepIntervalMilliseconds: number;
  batchSize: number;
  firingsPerScheduleAndPass: number;
  firingsPerPass: number;
  startBatchSize: number;
  startsInFlight: number;
  startsPerSecondAssumed: number;
  preStartAfterMilliseconds: number;
  preStartCapMilliseconds: number;
  observeByListFrom: number;
  startDeadlineMilliseconds: number;
  startLeaseMilliseconds: number;
  checkAfterMilliseconds: number;
  rejectedStartAttempts: number;
  cancelWaitMilliseconds: number;
  stalledAfterMilliseconds: number;
  resetCheckMilliseconds: number;
  resetWatchMilliseconds: number;
  retentionMarginMilliseconds: number;
  retentionMilliseconds: number;
  backoffCapMilliseconds: number;
}

/** What every pass works with. */
export interface TriggerContext {
  /** UUID of this trigger process: the owner of its claims. */
  id: string;
  /** UUID of the ledger: the namespace of request IDs. */
  installationId: string;
  store: Store;
  temporal: TemporalPort;
  clock: Clock;
  logger: Logger;
  limits: TriggerLimits;
  definitions: DefinitionCache;
  queue: StartQueue;
  /** How many starts each namespace takes at once. */
  gates: StartGates;
  /** How many starts a second this trigger makes: of what is due, and of what is handed over ahead. */
  rates: { due: StartRate; ahead: StartRate };
  /** How many it may make. */
  caps: CappedStarts;
  /** Namespaces of Temporal that do not answer. */
  breakers: Breakers;
  /** Whose turn it is while more is due than a pass takes. A hint as well. */
  backlog: Backlog;
  /** Schedules that are left to their time. A hint. */
  declined: Declined;
  /** Schedules that overlap would make skip, until Temporal is asked. A hint as well. */
  suspects: Map<string, Suspect>;
  /** Where retired months end, as last read: no firing lies before. Undefined while none is retired. */
  retentionFloor: Date | undefined;
  months: KnownMonths;
  /** Whether the ledger has a row for whatever Temporal was started with; false after a failover, until that was checked. */
  adopted: boolean;
  adoption: Adoption;
  /** Called when there are suspects. */
  onSuspects: () => void;
  /** Called when chains are to be ended now. */
  onInterrupts: () => void;
  /** Aborted when the trigger stops: nothing further is begun. */
  stopping: AbortSignal;
}

/** The fields of a transition's log line that name a firing. */
export function firingFields(firing: FiringKey & { workflowId?: string | null; startAttempts?: number }) {
  return {
    scheduleId: firing.scheduleId,
    scheduledTime: firing.scheduledTime.toISOString(),
    ...(firing.workflowId == null ? {} : { workflowId: firing.workflowId }),
    ...(firing.startAttempts === undefined ? {} : { startAttempt: firing.startAttempts + 1 }),
  };
}

/** An instant `milliseconds` after `now`. */
export function later(now: number, milliseconds: number): Date {
  return new Date(now + milliseconds);
}
