import type { AskedFact } from '../journal';
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
  recovered: boolean;
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

/** A chain of runs, by Temporal alone. */
export interface ChainFact {
  workflowId: string;
  firstRunId: string;
  workflowType: string;
  /** What its memo says. */
  scheduleId: string;
  time: number;
  epoch: number;
  kind: string;
  /** When the first workflow task of its first run was scheduled, by its history: from then on a worker may run it. Undefined: never. */
  firstTaskAt: number | undefined;
  /** When its last run ended; undefined while it runs. */
  closedAt: number | undefined;
  /** Of its last run: Temporal's name. */
  status: string;
}

/** What the jobs wrote in guarded transactions, in the order of their commits. */
export interface EffectFact {
  key: string;
  tokens: number[];
  booked: boolean;
}

/** A message about an alert, in the outbox. */
export interface MessageFact {
  messageId: string;
  createdAt: number;
  /** When the ledger says that it was delivered. */
  deliveredAt: number | null;
}

/** All that the checker knows: plain data, which its tests alter. */
export interface Facts {
  schedules: ChaosSchedule[];
  /** Between which instants the schedules were due, inclusive. */
  due: { from: number; to: number };
  asked: AskedFact[];
  lost: Lost[];
  firings: FiringFact[];
  gaps: GapFact[];
  chains: ChainFact[];
  effects: EffectFact[];
  messages: MessageFact[];
  /** IDs of messages that the webhook was sent. */
  received: string[];
  /** When all of this was read. */
  readAt: number;
}

/** How a run can have gone wrong. */
export const VIOLATIONS = [
  ...(['missed', 'doubled', 'unexplained', 'early', 'wrongly skipped'] as const),
  ...([
    'overlap violated',
    'linked to the wrong run',
    'never closed',
    'effect lost or doubled',
    'alert not delivered',
  ] as const),
] as const;

export interface Violation {
  kind: (typeof VIOLATIONS)[number];
  text: string;
}

/** For people: which occurrence. */
export function named({ scheduleId, time }: { scheduleId: string; time: number }): string {
  return `${scheduleId} at ${new Date(time).toISOString()}`;
}
