import type { AlertCondition } from '../core/alerts';
import type { BulkKind, BulkOutcome, BulkState } from '../core/bulk';
import type { FreezeCatchUp } from '../core/decisions/freeze';
import type { EffectivePolicies, EncodedPayload, StoredAction } from '../core/definition';
import type { FiringKind, FiringOutcome, FiringState, Recovery, RunAgain } from '../core/firing';
import { namesDays } from '../core/occurrences/days/day-names';
import type { RedriveRequest } from '../core/redrive';
import type { ScheduleSpec } from '../core/schedule';
import type { StoredSearchAttributes } from '../core/search-attributes';

/** The tables, as rows are read. Columns are public: `docs/tables.md` explains each. */
export interface Tables {
  schedules: {
    schedule_id: string;
    version: number;
    tenant: string;
    paused: boolean;
    paused_at: Date | null;
    paused_by: string | null;
    paused_until: Date | null;
    unpaused_at: Date | null;
    unpaused_by: string | null;
    note: string | null;
    source: string | null;
    owner: string | null;
    runbook: string | null;
    external_id: string | null;
    memo: Record<string, EncodedPayload> | null;
    search_attributes: StoredSearchAttributes | null;
    spec_error: string | null;
    set_aside_at: Date | null;
    created_at: Date;
    updated_at: Date | null;
    deleted_at: Date | null;
  };
  schedule_versions: {
    schedule_id: string;
    version: number;
    namespace: string;
    spec: ScheduleSpec;
    action: StoredAction;
    args: Buffer | null;
    policies: EffectivePolicies;
    actor: string | null;
    created_at: Date;
  };
  timers: {
    schedule_id: string;
    spec_format: number;
    wake_at: Date;
    next_fire_at: Date | null;
    last_fire_at: Date | null;
    remaining_actions: number | null;
    completed_at: Date | null;
    completed_by: string | null;
    answered_to: Date;
    seq: number;
    pre_start: number | null;
  };
  firings: {
    schedule_id: string;
    scheduled_time: Date;
    state: FiringState;
    outcome: FiringOutcome | null;
    reason: string | null;
    kind: FiringKind;
    actor: string | null;
    overlap: string | null;
    namespace: string;
    schedule_version: number;
    workflow_id: string | null;
    run_id: string | null;
    epoch: number;
    owner: string | null;
    check_at: Date | null;
    start_attempts: number;
    first_attempted_at: Date | null;
    start_attempted_at: Date | null;
    recovery: Recovery | null;
    again: RunAgain | null;
    last_error: string | null;
    refused_since: Date | null;
    interrupt: 'cancel' | 'terminate' | null;
    interrupt_at: Date | null;
    interrupted_at: Date | null;
    stalled: string | null;
    starts_at: Date | null;
    tenant: string | null;
    task_queue: string | null;
    late: boolean | null;
    ready_at: Date | null;
    claimed_at: Date;
    linked_at: Date | null;
    closed_at: Date | null;
    changed: string | null;
  };
  gaps: {
    schedule_id: string;
    from_time: Date;
    to_time: Date;
    count: number;
    reason: string;
    freeze_id: string | null;
    recorded_at: Date;
    missed: number | null;
  };
  firing_counts: {
    day: Date;
    tenant: string;
    summed: boolean;
    total: number;
    linked: number;
    abandoned: number;
    skipped: number;
    completed: number;
    failed: number;
    attempted: number;
    succeeded: number;
    gave_up: number;
    missed: number;
  };
  freezes: {
    freeze_id: string;
    tenant: string | null;
    source: string | null;
    query: string | null;
    schedule_ids: string[] | null;
    from_time: Date;
    to_time: Date;
    catch_up: FreezeCatchUp;
    note: string | null;
    actor: string;
    created_at: Date;
    ended_at: Date | null;
    ended_by: string | null;
  };
  calendars: {
    tenant: string;
    name: string;
    days: string;
    labels: Record<string, string>;
    actor: string;
    created_at: Date;
    updated_at: Date;
  };
  dead_letters: LetterRow;
  /** Inherits `dead_letters`, where it is read and changed; only what is new is written here. */
  letters: LetterRow;
  leases: { resource: string; token: number; holder: string; acquired_at: Date; expires_at: Date };
  triggers: {
    id: string;
    host: string;
    version: string;
    heartbeat_at: Date;
    schema_version: number | null;
    tz: string | null;
    icu: string | null;
    away: AwayNamespace[] | null;
    caps: FullCap[] | null;
    problems: TriggerProblem[] | null;
    start_caps: StartCap[] | null;
  };
  tenants: {
    tenant: string;
    namespaces: string[] | null;
    task_queues: string[] | null;
    schedules: number | null;
    firings_per_hour: number | null;
    actor: string;
    updated_at: Date;
  };
  tenant_hours: { tenant: string; hour: Date; firings: number };
  alerts: {
    alert_id: string;
    condition: AlertCondition;
    subject: string;
    tenant: string;
    schedule_id: string | null;
    opened_at: Date;
    last_seen_at: Date;
    looked_at: Date;
    good_since: Date | null;
    resolved_at: Date | null;
    acknowledged_at: Date | null;
    acknowledged_by: string | null;
    count: number;
    text: string;
    summary_id: string | null;
    told_at: Date | null;
    changed: string | null;
  };
  alert_silences: {
    silence_id: string;
    tenant: string | null;
    schedule_id: string | null;
    condition: AlertCondition | null;
    until: Date;
    reason: string;
    actor: string;
    created_at: Date;
  };
  alert_targets: { target: string; since: Date; next_attempt_at: Date; failing_since: Date | null };
  alert_messages: {
    message_id: string;
    target: string;
    seq: string;
    alert_id: string;
    body: string;
    created_at: Date;
    attempts: number;
    last_error: string | null;
    delivered_at: Date | null;
  };
  moves: {
    schedule_id: string;
    namespace: string;
    state: MoveState;
    fingerprint: string;
    version: number;
    stays_paused: boolean;
    note: string | null;
    at: Date | null;
    evidence: unknown;
    take_buffer: boolean;
    buffer: Date[] | null;
    actor: string;
    imported_at: Date;
    updated_at: Date;
  };
  api_tokens: {
    token_id: string;
    name: string;
    hash: Buffer;
    tenant: string | null;
    scopes: string[];
    created_at: Date;
    created_by: string;
    expires_at: Date | null;
    revoked_at: Date | null;
    revoked_by: string | null;
  };
  api_audit: {
    audit_id: string;
    at: Date;
    tenant: string | null;
    actor: string;
    token: string | null;
    address: string;
    operation: string;
    target: string;
    status: number | null;
  };
  api_requests: {
    caller: string;
    key: string;
    fingerprint: string;
    created_at: Date;
    status: number | null;
    headers: unknown;
    body: string | null;
  };
  bulk_operations: {
    operation_id: string;
    kind: BulkKind;
    undoes: string | null;
    tenant: string | null;
    actor: string;
    token: string | null;
    filter: Record<string, unknown>;
    change: Record<string, unknown>;
    per_second: number | null;
    total: number;
    created_at: Date;
    leased_by: string | null;
    leased_until: Date | null;
    cancelled_by: string | null;
    ended_at: Date | null;
  };
  bulk_schedules: {
    operation_id: string;
    schedule_id: string;
    outcome: BulkOutcome | null;
    error: string | null;
    before: BulkState | null;
    after: BulkState | null;
  };
  archives: {
    archive_id: string;
    place: string;
    name: string;
    month: Date;
    table_oid: number;
    firings: number;
    gaps: number;
    letters: number;
    archived_at: Date;
    dropped_at: Date | null;
  };
  purges: {
    purge_id: string;
    kind: 'schedule' | 'tenant';
    subject_hash: string;
    actor: string;
    forced: boolean;
    schedules: number;
    counts: Record<string, number>;
    began_at: Date;
    ended_at: Date | null;
  };
  meta: { key: string; value: unknown };
}

/** How far a schedule has come on its way over from Temporal's own. */
export type MoveState = 'imported' | 'cutting_over' | 'cut_over' | 'rolling_back';

/** A namespace that a trigger does not call, as it was when it last gave a sign of life. */
export interface AwayNamespace {
  namespace: string;
  /** ISO 8601. */
  since: string;
  /** What Temporal said, or the network. */
  error: string;
  /** The gRPC status of that by its name; left out by the version before. */
  status?: string;
}

/** What a trigger found wrong with Postgres or with its host when it last gave a sign of life. */
export interface TriggerProblem {
  condition: 'lock_held' | 'partition_missing' | 'clock_off' | 'retention_held';
  /** Which session of Postgres, month or host. */
  subject: string;
  /** ISO 8601. */
  since: string;
  /** What is wrong, in a sentence. */
  text: string;
  /** What to do about it, in a sentence. */
  action: string;
  /** Schedules that it holds up; none for all, or where it holds up none. */
  scheduleIds?: string[];
}

/** Where a cap on starts holds. */
type CapPlace =
  | {
      /** All starts in this namespace. */
      namespace: string;
    }
  | {
      /** All starts on this task queue, in whatever namespace. */
      taskQueue: string;
    };

/** A cap on starts a second, of all triggers together. */
export type StartCap = CapPlace & {
  /** Starts a second, of all triggers together. */
  perSecond: number;
};

/** A cap on starts that held something back when a trigger last gave a sign of life. */
export type FullCap = StartCap & {
  /** Since when it does, ISO 8601. */
  since: string;
};

/** A letter's row. */
export interface LetterRow {
  letter_id: string;
  schedule_id: string;
  scheduled_time: Date;
  epoch: number;
  kind: 'start' | 'workflow' | 'parked';
  state: 'open' | 'redriving' | 'resolved' | 'discarded';
  reason: string;
  namespace: string;
  workflow_id: string | null;
  run_id: string | null;
  failed_step: unknown;
  actor: string | null;
  note: string | null;
  redrive: RedriveRequest | null;
  workflow_type: string | null;
  resume_until: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** The newest form of a schedule that this program knows; a trigger leaves newer forms alone. */
export const SPEC_FORMAT = 4;

/** The form of a schedule in shadow: a trigger that knows no shadow must not start its workflows. */
export const SHADOW_FORMAT = 3;

/** The form of a schedule that names days: a trigger that knows none would fire on them. */
export const DAYS_FORMAT = 4;

/** The form of a schedule: the oldest that says all of it, so that older triggers leave alone only what they would get wrong. */
export function formatOf({ spec, pausedUntil }: { spec: ScheduleSpec; pausedUntil?: Date | null | undefined }): number {
  if (namesDays(spec)) return DAYS_FORMAT;
  return pausedUntil ? 2 : 1;
}
