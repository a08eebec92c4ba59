import type { FreezeCatchUp } from '../core/decisions/freeze';
import type { EffectivePolicies, EncodedPayload, StoredAction } from '../core/definition/definition';
import type { StoredSearchAttributes } from '../core/definition/search-attributes';
import type { FiringKind, FiringOutcome, FiringState, Recovery, RunAgain } from '../core/firing';
import type { ScheduleSpec } from '../core/schedule/spec';
import type { OperatingTables } from './operating-tables';
import type { AwayNamespace, FullCap, LetterRow, StartCap, TriggerProblem } from './table-values';

/**
 * All tables of the ledger, with the types that their rows have when they are read. The columns are public:
 * `docs/tables.md` explains each.
 */
export interface Tables extends OperatingTables {
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
    changed: string | null;
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
  /**
   * `letters` inherits from `dead_letters`. Inserts go to `letters`. Most statements read and change letters through
   * `dead_letters`. A few must leave out letters of older versions, and name `letters`.
   */
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
  meta: { key: string; value: unknown };
}
