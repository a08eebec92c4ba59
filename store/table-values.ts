import type { RedriveRequest } from '../core/letters/redrive';

/** The progress of a schedule's move from its Temporal schedule. */
export type MoveState = 'imported' | 'cutting_over' | 'cut_over' | 'rolling_back';

/** A namespace that a trigger does not call, as its last heartbeat reported it. */
export interface AwayNamespace {
  namespace: string;
  /** ISO 8601. */
  since: string;
  /** The error from Temporal or the network. */
  error: string;
  /** The name of its gRPC status; the previous version leaves it out. */
  status?: string;
}

/** A problem with Postgres or the host, as a trigger's last heartbeat reported it. */
export interface TriggerProblem {
  condition: 'lock_held' | 'partition_missing' | 'clock_off' | 'retention_held';
  /** The session of Postgres, the month or the host. */
  subject: string;
  /** ISO 8601. */
  since: string;
  /** The problem in one sentence. */
  text: string;
  /** What to do about it, in one sentence. */
  action: string;
  /** Schedules that it blocks; undefined if it blocks all or none. */
  scheduleIds?: string[];
}

/** What a cap on starts applies to. */
type CapPlace =
  | {
      /** All starts in this namespace. */
      namespace: string;
    }
  | {
      /** All starts on this task queue, in any namespace. */
      taskQueue: string;
    };

/** A cap on starts per second, of all triggers together. */
export type StartCap = CapPlace & {
  /** Starts per second, of all triggers together. */
  perSecond: number;
};

/** A cap that held starts back, as a trigger's last heartbeat reported it. */
export type FullCap = StartCap & {
  /** Since when, ISO 8601. */
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
