import type { StoredSearchAttributes } from './definition/search-attributes';

/** The kinds of changes that can be made to many schedules at once. */
export const BULK_KINDS = ['pause', 'unpause', 'trigger', 'tag'] as const;
/** The kind of a bulk change. */
export type BulkKind = (typeof BULK_KINDS)[number];

/** The states of a bulk change. */
export const BULK_OPERATION_STATES = ['running', 'done', 'cancelled'] as const;
/** The state of a bulk change. A change that somebody ended early is `cancelled`. */
export type BulkOperationState = (typeof BULK_OPERATION_STATES)[number];

/** The reasons why a running bulk change may wait. */
export const BULK_WAITS = ['turn', 'process'] as const;
/**
 * Why a running bulk change waits. `turn`: ten other bulk changes of its tenant are carried out now. `process`: a
 * server with a free place, or a call of `Bulk.follow`, will carry the change out.
 */
export type BulkWait = (typeof BULK_WAITS)[number];

/**
 * The results of a bulk change for one schedule. `unchanged`: there was nothing to change or, in an undo, somebody has
 * changed the schedule's definition or state (for a tag: its labels) since.
 */
export const BULK_OUTCOMES = ['changed', 'unchanged', 'failed'] as const;
export type BulkOutcome = (typeof BULK_OUTCOMES)[number];

/**
 * A schedule's state before or after a bulk change, recorded so that the change can be undone. Instants are texts, as
 * in JSON.
 */
export interface BulkState {
  paused: boolean;
  note: string | null;
  pausedUntil: string | null;
  changedAt: string;
  labels: { owner: string | null; runbook: string | null; searchAttributes: StoredSearchAttributes | null };
  /** For a change that triggers the schedule: the nominal time of the new firing. */
  scheduledTime?: string;
}
