import type { AlertCondition } from '../core/alert-defaults';
import type { BulkKind, BulkOutcome, BulkState } from '../core/bulk';
import type { MoveState } from './table-values';

/**
 * The tables for operating schedules: alerts, moves from native Schedules, the HTTP API, bulk operations, archives and
 * purges.
 */
export interface OperatingTables {
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
    seq: number;
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
}
