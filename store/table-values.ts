import type { RedriveRequest } from '../core/letters/redrive';

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
