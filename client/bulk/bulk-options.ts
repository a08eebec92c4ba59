import { z } from 'zod';
import { BULK_KINDS, BULK_OPERATION_STATES, type BulkKind, type BulkOperationState } from '../../core/bulk';
import { scheduleId } from '../../core/definition/shape';
import { callback, count, flag, instantOrText, note, oneOf, tenantOrAll, thing } from '../../core/option-fields';
import type { FieldsOf } from '../../core/options';
import { OVERLAP_POLICIES, type OverlapPolicy } from '../../core/schedule';
import type { BulkFilter } from './choose';
import type { BulkStatus } from './status';

/** How a change of many schedules is followed. */
export interface FollowOptions {
  /** Called each second with how far it has come, and once more at its end. @default nothing */
  progress?: (status: BulkStatus) => void;
  /** Aborted: it is not followed any further, and `onAbort` says what becomes of what is left. @default none */
  signal?: AbortSignal;
  /**
   * `cancel`: what is left stays undone, as after {@link Bulk.cancel}. `leave`: it stays under way, for a server of the HTTP API or for
   * {@link Bulk.follow} to go on with.
   *
   * @default 'cancel'
   */
  onAbort?: 'cancel' | 'leave';
}

/** Which changes of many are listed. */
export interface ListBulkOptions {
  /** Those that are under way, carried out, or ended before their time. @default all */
  state?: BulkOperationState;
  /** How many at most, up to 1,000: of each its schedules are counted. @default 50 */
  limit?: number;
  /** Of one tenant. @default all */
  tenant?: string | undefined;
}

/** How many schedules are changed. */
export interface BulkOptions extends FollowOptions {
  /** What {@link Bulk.plan} counted: nothing is changed where another number matches by now. @default any number */
  expectedTotal?: number;
  /** How many a second at most, 0.5 to 10,000, evenly spaced. @default as many as can be; 20 for a trigger */
  perSecond?: number;
}

/** How many are paused. */
export interface BulkPauseOptions extends BulkOptions {
  /** Why, for people. @default 'Paused via Escapement' */
  note?: string;
  /** When the pauses end by themselves, as of {@link PauseOptions}: local time is of each schedule's zone. @default never */
  until?: Date | string | number;
}

/** How many are unpaused. */
export interface BulkUnpauseOptions extends BulkOptions {
  /** Why, for people. @default 'Unpaused via Escapement' */
  note?: string;
}

/** How many are fired once now. */
export interface BulkTriggerOptions extends BulkOptions {
  /** What to do while a former firing runs. @default 'ALLOW_ALL' */
  overlap?: OverlapPolicy;
  /** Also those that a freeze holds. @default false */
  duringFreeze?: boolean;
}

/** What is noted of many: what is left out stays, and null takes it away. Say at least one of the three. */
export interface BulkTagOptions extends BulkOptions {
  /** Who answers for them. @default as it is */
  owner?: string | null;
  /** Link to their run-book. @default as it is */
  runbook?: string | null;
  /** By name, each a list of values; others of a schedule stay. @default as they are */
  searchAttributes?: Record<string, unknown[] | null>;
}

const MOST_IDS = 10_000;

/** The list's own filters are checked as a list's. */
export const bulkChoice = z.looseObject({
  scheduleIds: z.array(scheduleId).min(1).max(MOST_IDS).optional(),
  all: flag.optional(),
} satisfies FieldsOf<Pick<BulkFilter, 'scheduleIds' | 'all'>>);

export const bulkKind = z.strictObject({ kind: oneOf(BULK_KINDS) } satisfies FieldsOf<{ kind: BulkKind }>);

const followFields = {
  progress: callback.optional(),
  signal: thing.optional(),
  onAbort: oneOf(['cancel', 'leave'] as const).optional(),
};

const bulkFields: FieldsOf<BulkOptions> = {
  ...followFields,
  expectedTotal: z.int().min(0).optional(),
  perSecond: z.number().min(0.5).max(10_000).optional(),
};

export const listBulkOptions = z.strictObject({
  state: oneOf(BULK_OPERATION_STATES).optional(),
  limit: z.int().min(1).max(1_000).optional(),
  tenant: tenantOrAll,
} satisfies FieldsOf<ListBulkOptions>);

export const followOptions = z.strictObject(followFields satisfies FieldsOf<FollowOptions>);

export const pauseAllOptions = z.strictObject({
  ...bulkFields,
  note: note.optional(),
  until: z.union([instantOrText, count]).optional(),
} satisfies FieldsOf<BulkPauseOptions>);

export const unpauseAllOptions = z.strictObject({
  ...bulkFields,
  note: note.optional(),
} satisfies FieldsOf<BulkUnpauseOptions>);

export const triggerAllOptions = z.strictObject({
  ...bulkFields,
  overlap: oneOf(OVERLAP_POLICIES).optional(),
  duringFreeze: flag.optional(),
} satisfies FieldsOf<BulkTriggerOptions>);

export const tagAllOptions = z.strictObject({
  ...bulkFields,
  owner: z.string().nullable().optional(),
  runbook: z.string().nullable().optional(),
  searchAttributes: z.record(z.string(), z.array(z.unknown()).nullable()).optional(),
} satisfies FieldsOf<BulkTagOptions>);
