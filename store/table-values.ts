import type { RedriveRequest } from '../core/letters/redrive';

export type MoveState = 'imported' | 'cutting_over' | 'cut_over' | 'rolling_back';

/** A namespace that does not answer or refuses every call, as a trigger's last heartbeat reported it. */
export interface AwayNamespace {
  namespace: string;
  /** Since when the namespace counts as away, ISO 8601. */
  since: string;
  /** The error from Temporal or the network. */
  error: string;
  /** The name of the gRPC status; `NO_CONNECTION` if the trigger has no server to call. Older triggers leave it out. */
  status?: string;
}

/** A problem with Postgres, the host or a namespace, as a trigger's last heartbeat reported it. */
export interface TriggerProblem {
  condition: 'lock_held' | 'partition_missing' | 'clock_off' | 'retention_held' | 'namespace_held';
  /** The thing that has the problem: a Postgres session, a month, a host or a namespace. */
  subject: string;
  /** Since when the problem has lasted, ISO 8601. */
  since: string;
  /** The problem in one sentence. */
  text: string;
  /** What a person should do about the problem, in one sentence. */
  action: string;
  /** IDs of schedules that the problem blocks; undefined if it blocks all schedules or none. */
  scheduleIds?: string[];
}

type CapPlace =
  | {
      /** The cap applies to all starts in this namespace. */
      namespace: string;
    }
  | {
      /** The cap applies to all starts on this task queue, in any namespace. */
      taskQueue: string;
    };

/** A cap on the starts per second of all triggers together. Starts that recovery calls again are not counted. */
export type StartCap = CapPlace & {
  /** The number of starts per second that all triggers may make together, on average. */
  perSecond: number;
};

/** A cap that held starts back, as a trigger's last heartbeat reported it. */
export type FullCap = StartCap & {
  /** Since when the cap has held starts back, ISO 8601. */
  since: string;
};

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
