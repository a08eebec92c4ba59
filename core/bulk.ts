import type { StoredSearchAttributes } from './definition/search-attributes';

/** The kinds of changes that can be made to many schedules at once. */
export const BULK_KINDS = ['pause', 'unpause', 'trigger', 'tag'] as const;
/** One of these. */
export type BulkKind = (typeof BULK_KINDS)[number];

/** State of a bulk change: `cancelled` if somebody ended it early. */
export const BULK_OPERATION_STATES = ['running', 'done', 'cancelled'] as const;
/** One of these. */
export type BulkOperationState = (typeof BULK_OPERATION_STATES)[number];

/** Result for one schedule: `unchanged` if there was nothing to do. */
export const BULK_OUTCOMES = ['changed', 'unchanged', 'failed'] as const;
export type BulkOutcome = (typeof BULK_OUTCOMES)[number];

/** The state of a schedule around a change, from which the change can be undone. Instants are texts, as in JSON. */
export interface BulkState {
  paused: boolean;
  note: string | null;
  pausedUntil: string | null;
  changedAt: string;
  labels: { owner: string | null; runbook: string | null; searchAttributes: StoredSearchAttributes | null };
  /** For a trigger: nominal time of the firing. */
  scheduledTime?: string;
}
