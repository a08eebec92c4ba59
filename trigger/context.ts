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
import type { Aside } from './aside';
import type { Declined } from './claim/declined';
import type { Suspect } from './claim/due-plan';
import type { GrowingBatch } from './claim/growing-batch';
import type { HeldUp } from './claim/held-up';
import type { Clock } from './clock';
import type { Complaints } from './complaints';
import type { DefinitionCache } from './definitions';
import type { CappedStarts } from './dispatch/caps';
import type { StartGates } from './dispatch/gates';
import type { StartRate } from './dispatch/rate';
import type { WaitingHints } from './dispatch/waiting';
import type { HostClock } from './host-clock';
import type { PassLanes } from './lanes';
import type { TriggerLimits } from './limits';
import type { TriggerMetrics } from './metrics/metrics';
import type { EndLists } from './observe/end-lists';
import type { Adoption } from './recover/adoption';
import type { TransitionLog } from './transition-log';
import type { KnownMonths } from './upkeep/months';

/** What every pass works with. */
export interface TriggerContext {
  /** UUID of this trigger process: the owner of what it announces. */
  id: string;
  /** UUID of the ledger: the namespace of request IDs. */
  installationId: string;
  store: OpenStore;
  temporal: Temporal;
  clock: Clock;
  logger: TransitionLog;
  limits: TriggerLimits;
  /** What all triggers of the ledger agree on, as last read: each heartbeat reads it. */
  settings: LedgerSettings;
  definitions: DefinitionCache;
  /** What may wait for its start. A hint: the rows are the queue. */
  waiting: WaitingHints;
  /** What of a failure's text may be written down. */
  failureTexts: FailureTextOptions;
  /** How many starts each namespace takes at once. */
  gates: StartGates;
  /** How many starts a second this trigger makes: of what is due, and of what is handed over ahead. */
  rates: { due: StartRate; ahead: StartRate };
  /** How many it may make. */
  caps: CappedStarts;
  /** Which namespaces each kind of pass is asking. */
  lanes: PassLanes;
  metrics: TriggerMetrics;
  /** Where alerts are sent. */
  webhooks: AlertWebhook[];
  /** Whether the last claim found what was missed, and left more. A hint as well. */
  isBehind: boolean;
  /** How many timers a claim takes at once. */
  claims: GrowingBatch;
  /** What is known of the lists of what has ended. A hint. */
  ends: EndLists;
  /** This host's own clock. */
  hostClock: HostClock;
  /** Of Postgres, while it takes no writes, and until that is recorded. */
  outage: LedgerOutage;
  /** Rows that Postgres refuses, such as by a constraint: they are left out for a while. */
  aside: Aside;
  /** Log lines about chains that get nowhere, and what they wait for. */
  stalls: Complaints;
  /** Log lines about schedules whose ends cannot be recorded, since somebody keeps them locked. */
  locked: Complaints;
  /** Schedules that cannot be claimed, since somebody keeps them locked. */
  heldUp: HeldUp;
  /** Log lines about namespaces whose server is too busy for starts. */
  busy: Complaints;
  /** Schedules that are left to their time. A hint. */
  declined: Declined;
  /** Schedules that overlap would make skip, until Temporal is asked. A hint as well. */
  suspects: Map<string, Suspect>;
  /** Where retired months end, as last read: no firing lies before. Undefined while none is retired. */
  retentionFloor: Date | undefined;
  /** What was last said to keep months past retention, and when, epoch milliseconds; what to tell of that, once it is long. */
  retention: { said: { name: string; at: number } | undefined; problem: TriggerProblem | undefined };
  months: KnownMonths;
  adoption: Adoption;
  /** Definitions by schedule of which this process does not know the time zone or a policy: left to other triggers. */
  leftToOthers: Map<string, VersionKey>;
  /** Triggers alive that have other time zone data, as they were last said. */
  zoneDataSaid: string;
  /** Called when the schema has left this program behind. */
  onLeftBehind: (error: SchemaTooNewError) => void;
  /** Called when the database is another one. */
  onNotice: () => void;
  /** Called when there are suspects. */
  onSuspects: () => void;
  /** Called when chains are to be ended now. */
  onInterrupts: () => void;
  /** Aborted when the trigger stops: nothing further is begun. */
  stopping: AbortSignal;
}

/** The fields of a transition's log line that name a firing. */
export function firingFields(firing: FiringKey & { workflowId?: string | null; startAttempts?: number }) {
  const fields: LoggedFiring = { scheduleId: firing.scheduleId, scheduledTime: firing.scheduledTime.toISOString() };
  if (firing.workflowId != null) fields.workflowId = firing.workflowId;
  if (firing.startAttempts !== undefined) fields.startAttempt = firing.startAttempts + 1;
  return fields;
}

interface LoggedFiring extends Record<string, unknown> {
  scheduleId: string;
  /** ISO 8601, UTC. */
  scheduledTime: string;
  workflowId?: string;
  /** From 1. */
  startAttempt?: number;
}

/** An instant `milliseconds` after `now`. */
export function later(now: number, milliseconds: number): Date {
  return new Date(now + milliseconds);
}
