import type { LedgerOutage } from '../alerts/ledger-outage';
import type { AlertWebhook } from '../alerts/webhooks';
import type { SchemaTooNewError } from '../core/errors';
import type { FiringKey } from '../core/firing';
import type { FailureTextOptions } from '../core/letters/failure-text';
import type { OpenStore } from '../store/connection';
import type { VersionKey } from '../store/schedules/due';
import type { LedgerSettings } from '../store/settings';
import type { TriggerProblem } from '../store/table-values';
import type { Temporal } from '../temporal/temporal';
import type { Suspect } from './claim/due-plan';
import type { GrowingBatch } from './claim/growing-batch';
import type { HeldUp } from './claim/held-up';
import type { Declined } from './claim/not-ahead';
import type { Clock } from './clock';
import type { Complaints } from './complaints';
import type { DefinitionCache } from './definitions';
import type { CappedStarts } from './dispatch/caps';
import type { StartRate } from './dispatch/rate';
import type { StartGates } from './dispatch/starts-in-flight';
import type { WaitingHints } from './dispatch/waiting-hints';
import type { HostClock } from './host-clock';
import type { PassLanes } from './lanes';
import type { TriggerLimits } from './limits';
import type { TriggerMetrics } from './metrics/metrics';
import type { EndLists } from './observe/end-lists';
import type { Adoption } from './recover/adoption';
import type { RefusedRows } from './refused-rows';
import type { TransitionLog } from './transition-log';
import type { KnownMonths } from './upkeep/known-months';

/** The objects and settings that every pass of a trigger uses. */
export interface TriggerContext {
  /** UUID of this trigger process: the owner of the starts that it announces. */
  id: string;
  /** UUID of the ledger, which is the UUID namespace of request IDs. */
  installationId: string;
  store: OpenStore;
  temporal: Temporal;
  clock: Clock;
  logger: TransitionLog;
  limits: TriggerLimits;
  /** The settings that all triggers of the ledger share. Each heartbeat reads them. */
  settings: LedgerSettings;
  definitions: DefinitionCache;
  /**
   * Firings that may wait for their start, as far as this trigger knows. This is only a hint: the rows in the ledger
   * are the queue.
   */
  waiting: WaitingHints;
  /** Which parts of the failure text of a workflow or step may be stored. */
  failureTexts: FailureTextOptions;
  /** How many starts may run at once in each namespace. */
  gates: StartGates;
  /** How many starts this trigger makes per second, for due firings and for those handed over ahead. */
  rates: { due: StartRate; ahead: StartRate };
  /** The caps that limit these rates. */
  caps: CappedStarts;
  /** For each kind of pass, the namespaces that it is asking at the moment. */
  lanes: PassLanes;
  metrics: TriggerMetrics;
  /** The webhooks that receive alerts. */
  webhooks: AlertWebhook[];
  /** Whether the last claim left missed occurrences for later claims. This is only a hint. */
  isBehind: boolean;
  /** How many timers a claim takes at once. */
  claims: GrowingBatch;
  /** What this trigger knows of the lists of ended chains. This is only a hint. */
  ends: EndLists;
  /** This host's own clock. */
  hostClock: HostClock;
  /** The outage of Postgres, while it takes no writes and until the outage is recorded. */
  outage: LedgerOutage;
  /** Rows that Postgres refuses, for example by a constraint. Such rows are left out for a while. */
  aside: RefusedRows;
  /** Repeated log lines about chains that make no progress, with the cause. */
  stalls: Complaints;
  /** Repeated log lines about schedules whose ends cannot be recorded because another session keeps them locked. */
  locked: Complaints;
  /** Schedules that cannot be claimed because another session keeps them locked. */
  heldUp: HeldUp;
  /** Repeated log lines about namespaces whose server refuses starts because it is overloaded. */
  busy: Complaints;
  /** Schedules whose firings are not handed over ahead for now. This is only a hint. */
  declined: Declined;
  /** Schedules whose occurrences overlap would skip, until Temporal is asked about them. This is only a hint. */
  suspects: Map<string, Suspect>;
  /** The end of the retired months, as last read; undefined if no month is retired. */
  retentionFloor: Date | undefined;
  /**
   * The month that was last logged as kept past its retention, and when, in epoch milliseconds; and the problem that is
   * reported once this has lasted.
   */
  retention: { said: { name: string; at: number } | undefined; problem: TriggerProblem | undefined };
  months: KnownMonths;
  adoption: Adoption;
  /**
   * Definitions, by schedule, that this process leaves to other triggers because it does not know their time zone or a
   * policy.
   */
  leftToOthers: Map<string, VersionKey>;
  /** The live triggers with other time zone data, as last logged. */
  zoneDataSaid: string;
  /** Called when the schema has become too new for this program. */
  onLeftBehind: (error: SchemaTooNewError) => void;
  /** Called when the database has been replaced by another one. */
  onNotice: () => void;
  /** Called when `suspects` has entries. */
  onSuspects: () => void;
  /** Called when chains should be ended now. */
  onInterrupts: () => void;
  /** Aborted when the trigger stops: no further work begins. */
  stopping: AbortSignal;
}

/** The log fields that name a firing. */
export function firingFields(firing: FiringKey & { workflowId?: string | null; startAttempts?: number }) {
  const fields: LoggedFiring = { scheduleId: firing.scheduleId, scheduledTime: firing.scheduledTime.toISOString() };
  if (firing.workflowId != null) fields.workflowId = firing.workflowId;
  if (firing.startAttempts !== undefined) fields.startAttempt = firing.startAttempts + 1;
  return fields;
}

interface LoggedFiring extends Record<string, unknown> {
  scheduleId: string;
  /** The firing's nominal time, ISO 8601, UTC. */
  scheduledTime: string;
  workflowId?: string;
  /** The number of the start attempt, which counts from 1. */
  startAttempt?: number;
}

export function later(now: number, milliseconds: number): Date {
  return new Date(now + milliseconds);
}
