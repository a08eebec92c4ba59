import type { Client } from 'pg';
import type { FiringKind, FiringOutcome, FiringState } from '../../core/firing';
import type { LetterKind, LetterState, RedriveRequest } from '../../core/letters/redrive';

/** A firing's row; instants are epoch milliseconds. */
export interface FiringRow {
  schedule_id: string;
  scheduled_time: number;
  state: FiringState;
  outcome: FiringOutcome | null;
  reason: string | null;
  kind: FiringKind;
  overlap: string | null;
  schedule_version: number;
  workflow_id: string | null;
  run_id: string | null;
  epoch: number;
  owner: string | null;
  check_at: number | null;
  /** When its workflow may begin, of one that was handed over ahead. */
  starts_at: number | null;
  task_queue: string | null;
  ready_at: number | null;
  first_attempted_at: number | null;
  start_attempted_at: number | null;
  claimed_at: number;
  linked_at: number | null;
  closed_at: number | null;
}

export interface GapRow {
  schedule_id: string;
  from_time: number;
  to_time: number;
  count: number;
  reason: string;
  recorded_at: number;
}

export interface ScheduleRow {
  schedule_id: string;
  version: number;
  paused: boolean;
  deleted: boolean;
  spec_error: string | null;
  /** Infinity sleeps. */
  wake_at: number;
  remaining_actions: number | null;
  answered_to: number;
}

export interface LetterRow {
  letter_id: string;
  schedule_id: string;
  scheduled_time: number;
  epoch: number;
  kind: LetterKind;
  state: LetterState;
  /** The run whose failure it is about; null of a start that was given up. */
  run: string | null;
  /** The step that failed: an activity or a child; null where a workflow failed by itself. */
  activity: string | null;
  child: string | null;
  redrive: RedriveRequest | null;
}

/** The part of a ledger that a trace checks, at one instant. */
export interface Snapshot {
  schedules: ScheduleRow[];
  firings: FiringRow[];
  gaps: GapRow[];
  letters: LetterRow[];
}

export const NOTHING_SEEN: Snapshot = { schedules: [], firings: [], gaps: [], letters: [] };

const instant = (column: string) => `(extract(epoch from ${column}) * 1000)::float8 as ${column.replace(/^\w+\./, '')}`;

const TEXT = `select
  (select coalesce(json_agg(x order by schedule_id), '[]') from (
    select s.schedule_id, s.version, s.paused, s.deleted_at is not null as deleted, s.spec_error, t.remaining_actions,
      ${instant('t.answered_to')},
      case when t.wake_at <> 'infinity' then (extract(epoch from t.wake_at) * 1000)::float8 end as wake_at
    from escapement.schedules s join escapement.timers t using (schedule_id)) x) as schedules,
  (select coalesce(json_agg(x order by schedule_id, scheduled_time), '[]') from (
    select schedule_id, state, outcome, reason, kind, overlap, schedule_version, workflow_id, run_id, epoch, owner, task_queue,
      ${[
        'scheduled_time',
        'check_at',
        'starts_at',
        'ready_at',
        'first_attempted_at',
        'start_attempted_at',
        'claimed_at',
        'linked_at',
        'closed_at',
      ]
        .map(instant)
        .join(', ')} from escapement.firings) x) as firings,
  (select coalesce(json_agg(x order by schedule_id, from_time), '[]') from (
    select schedule_id, count, reason, ${['from_time', 'to_time', 'recorded_at'].map(instant).join(', ')}
    from escapement.gaps) x) as gaps,
  (select coalesce(json_agg(x order by letter_id), '[]') from (
    select letter_id, schedule_id, epoch, kind, state, redrive, failed_step ->> 'runId' as run,
      failed_step ->> 'activityId' as activity, failed_step -> 'childWorkflow' ->> 'workflowId' as child, ${instant('scheduled_time')} from escapement.dead_letters) x) as letters`;

/** Read the whole ledger in one statement. */
export async function readSnapshot(sql: Client): Promise<Snapshot> {
  const { rows } = await sql.query<Snapshot>({ name: 'snapshot', text: TEXT });
  const [snapshot] = rows;
  for (const schedule of snapshot!.schedules) schedule.wake_at ??= Number.POSITIVE_INFINITY;
  return snapshot!;
}
