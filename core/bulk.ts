import type { StoredSearchAttributes } from './definition/search-attributes';

/** What may be done to many schedules at once. */
export const BULK_KINDS = ['pause', 'unpause', 'trigger', 'tag'] as const;
/** One of these. */
export type BulkKind = (typeof BULK_KINDS)[number];

/** Where a change of many is: `cancelled` where somebody ended it before its time. */
export const BULK_OPERATION_STATES = ['running', 'done', 'cancelled'] as const;
/** One of these. */
export type BulkOperationState = (typeof BULK_OPERATION_STATES)[number];

/** What became of one schedule: nothing was to be done where it is `unchanged`. */
export const BULK_OUTCOMES = ['changed', 'unchanged', 'failed'] as const;
export type BulkOutcome = (typeof BULK_OUTCOMES)[number];

/** What a change may take back: the state of a schedule around it. Instants are texts, as JSON has them. */
export interface BulkState {
  paused: boolean;
  note: string | null;
  pausedUntil: string | null;
  changedAt: string;
  labels: { owner: string | null; runbook: string | null; searchAttributes: StoredSearchAttributes | null };
  /** Of a trigger, the firing. */
  scheduledTime?: string;
}
