import type { LedgerOutage } from '../alerts/ledger-outage';
import type { AlertWebhook } from '../alerts/webhooks';
import type { SchemaTooNewError } from '../core/errors';
import type { FiringKey } from '../core/firing';
import type { FailureTextOptions } from '../core/letters/failure-text';
import type { Complaints } from '../logging/complaints';
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

export interface TriggerContext {
  /** The UUID of this trigger. A firing whose start it announces has this ID as its `owner`. */
  id: string;
  /** UUID of the ledger, which is the UUID namespace of request IDs. */
  installationId: string;
  store: OpenStore;
  /**
   * The same ledger with one connection more than `store`. So heartbeats need not wait behind slow statements of
   * `store`.
   */
  heartbeatStore: OpenStore;
  temporal: Temporal;
  clock: Clock;
  logger: TransitionLog;
  limits: TriggerLimits;
  /** The settings that all triggers of the ledger share, as this trigger last read them. */
  settings: LedgerSettings;
  definitions: DefinitionCache;
  waiting: WaitingHints;
  failureTexts: FailureTextOptions;
  gates: StartGates;
  /** The estimated rates of starts: of due firings, and of firings that are handed over ahead. */
  rates: { due: StartRate; ahead: StartRate };
  caps: CappedStarts;
  lanes: PassLanes;
  metrics: TriggerMetrics;
  webhooks: AlertWebhook[];
  /** Whether the last claim pass may have left late timers unclaimed. This is only a hint. */
  isBehind: boolean;
  claims: GrowingBatch;
  ends: EndLists;
  hostClock: HostClock;
  outage: LedgerOutage;
  aside: RefusedRows;
  /** Repeated log lines about chains that make no progress. */
  stalls: Complaints;
  /** Repeated log lines about schedules whose ends cannot be recorded because another session keeps them locked. */
  locked: Complaints;
  heldUp: HeldUp;
  /** Repeated log lines about namespaces whose server refuses starts because it is overloaded. */
  busy: Complaints;
  declined: Declined;
  /**
   * Schedules that would skip a firing because an open one overlaps. They wait here until a verify pass asks Temporal
   * whether the open one still runs.
   */
  suspects: Map<string, Suspect>;
  /** The end of the retired months, as last read; undefined if no month is retired. */
  retentionFloor: Date | undefined;
  /**
   * The open letter or firing that was last logged for keeping a month past its retention, and when, in epoch
   * milliseconds. `problem` is what the heartbeat reports about it.
   */
  retention: { said: { name: string; at: number } | undefined; problem: TriggerProblem | undefined };
  months: KnownMonths;
  adoption: Adoption;
  /**
   * The versions, by schedule, that this process leaves to other triggers, since it does not know the time zone or
   * another value in them.
   */
  leftToOthers: Map<string, VersionKey>;
  /** The freezes that were logged because this program cannot read their filters. */
  unreadableFreezes: Set<string>;
  /** The live triggers with other time zone data, as last logged. */
  zoneDataSaid: string;
  /** Called when the schema has become too new for this program. */
  onLeftBehind: (error: SchemaTooNewError) => void;
  /** Called when the trigger has noticed that the database was replaced. */
  onNotice: () => void;
  /** Called when a namespace that was away answers again. */
  onBack: () => void;
  onSuspects: () => void;
  /** Called when there may be chains to cancel or terminate now. */
  onInterrupts: () => void;
  /** Aborted when the trigger is to stop. */
  stopping: AbortSignal;
}

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
  /** 1, plus one for each start of the firing that Temporal has rejected. */
  startAttempt?: number;
}

/** The latest instant that a Date can have. A stored duration may reach beyond it. */
const LATEST = 8.64e15;

export function later(now: number, milliseconds: number): Date {
  return new Date(Math.min(now + milliseconds, LATEST));
}
