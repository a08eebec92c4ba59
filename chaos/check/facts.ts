import type { AbandonedFact, AskedFact } from '../journal';
import type { Lost } from '../nemesis/nemesis';
import type { ChaosSchedule } from '../workload/definitions';

/** A row of `firings`. Instants are epoch milliseconds. */
export interface FiringFact {
  scheduleId: string;
  time: number;
  state: string;
  outcome: string | null;
  reason: string | null;
  kind: string;
  epoch: number;
  workflowId: string | null;
  runId: string | null;
  /** When a trigger last took over the announced start from another trigger; null if none did. */
  recoveredAt: number | null;
  claimedAt: number;
  linkedAt: number | null;
  closedAt: number | null;
}

/** A row of `gaps`. */
export interface GapFact {
  scheduleId: string;
  from: number;
  to: number;
  count: number;
  reason: string;
  recordedAt: number;
}

/** A chain of runs, read only from Temporal's data. */
export interface ChainFact {
  workflowId: string;
  firstRunId: string;
  workflowType: string;
  /** The schedule of the firing in the chain's memo. */
  scheduleId: string;
  time: number;
  epoch: number;
  kind: string;
  /**
   * When the chain's first run was started, from its history. With a start delay, this is long before its first task.
   */
  startedAt: number;
  /**
   * When the first workflow task of the chain's first run was scheduled, from its history. From that time on a worker
   * can run the task. The time is undefined if no task was scheduled.
   */
  firstTaskAt: number | undefined;
  /** When the last run of the chain ended; undefined while it is running. */
  closedAt: number | undefined;
  /** Whether Temporal's list shows that the last run ended: it may lag behind, and triggers read ends from it. */
  isListedAsEnded: boolean;
  /** The status of the chain's last run, as Temporal names it. */
  status: string;
}

/** The guarded writes of jobs under one key: their fencing tokens, in the order of the writes. */
export interface EffectFact {
  key: string;
  tokens: number[];
  booked: boolean;
}

/** An alert message in the outbox. */
export interface MessageFact {
  messageId: string;
  createdAt: number;
  /** When the message was delivered, according to the ledger; null if it was not. */
  deliveredAt: number | null;
}

/** The whole input of the checker, as plain data that its tests can alter. */
export interface Facts {
  schedules: ChaosSchedule[];
  /** First and last instant at which the schedules were due, inclusive. */
  due: { from: number; to: number };
  asked: AskedFact[];
  lost: Lost[];
  /** Periods in which a trigger of the previous version ran beside the others. */
  versionBefore: { from: number; to: number }[];
  /** Abandoned starts that the run has redriven or tried to redrive. */
  abandoned: AbandonedFact[];
  firings: FiringFact[];
  gaps: GapFact[];
  chains: ChainFact[];
  effects: EffectFact[];
  messages: MessageFact[];
  /** IDs of the messages that the webhook received. */
  received: string[];
  /** Passwords and keys that the processes were given. */
  secrets: string[];
  /** All output of each process, also of those that have ended, and of each `db migrate` and `archive`. */
  logs: { member: string; text: string }[];
  /** When all these facts were read. */
  readAt: number;
}

/** The kinds of errors that the checker can find in a run. */
export const VIOLATIONS = [
  ...(['missed', 'doubled', 'unexplained', 'early', 'wrongly skipped'] as const),
  ...([
    'overlap violated',
    'linked to the wrong run',
    'never closed',
    'effect lost or doubled',
    'alert not delivered',
    'secret logged',
  ] as const),
] as const;

export interface Violation {
  kind: (typeof VIOLATIONS)[number];
  text: string;
}

/** Names an occurrence in a text for people. */
export function named({ scheduleId, time }: { scheduleId: string; time: number }): string {
  return `${scheduleId} at ${new Date(time).toISOString()}`;
}
