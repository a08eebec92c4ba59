import { z } from 'zod';
import { BULK_KINDS, BULK_OPERATION_STATES, type BulkKind, type BulkOperationState } from '../../core/bulk';
import { callback, count, flag, instantOrText, note, oneOf, tenantOrAll, thing } from '../../core/option-fields';
import type { FieldsOf } from '../../core/options';
import { OVERLAP_POLICIES, type OverlapPolicy } from '../../core/schedule/policies';
import type { BulkStatus } from './status';

/** How to follow a bulk change. */
export interface FollowOptions {
  /** Called about once a second with the progress, and once more at the end. @default no callback */
  progress?: (status: BulkStatus) => void;
  /** Stops following when aborted. `onAbort` decides what happens to the schedules not yet changed. @default none */
  signal?: AbortSignal;
  /**
   * `cancel`: the remaining schedules are not changed, as after {@link Bulk.cancel}. `leave`: the operation stays open,
   * and a server of the HTTP API or {@link Bulk.follow} can continue it.
   *
   * @default 'cancel'
   */
  onAbort?: 'cancel' | 'leave';
}

/** Which bulk changes to list. */
export interface ListBulkOptions {
  /** Only operations in this state. @default all states */
  state?: BulkOperationState;
  /**
   * Maximum number of operations, up to 1,000. The list counts the schedules of each operation, which takes time.
   * @default 50
   */
  limit?: number;
  /**
   * Only operations that clients of this tenant requested, and undos of these. @default the client's tenant, or all
   * tenants
   */
  tenant?: string | undefined;
}

/** How to change many schedules. */
export interface BulkOptions extends FollowOptions {
  /**
   * The total that {@link Bulk.plan} returned. If another number of schedules matches at the time of the call, nothing
   * is changed.
   * @default any number
   */
  expectedTotal?: number;
  /**
   * Maximum rate of changes per second, from 0.5 to 10,000, evenly spaced. A later operation on the same schedules may
   * carry these changes out at its own rate. @default no limit; 20 for a trigger
   */
  perSecond?: number;
}

/** How to pause many schedules. */
export interface BulkPauseOptions extends BulkOptions {
  /** Why the schedules are paused, for people to read. @default 'Paused via Escapement' */
  note?: string;
  /**
   * When the pauses end by themselves, as in {@link PauseOptions}. A duration runs from the call. A text without an
   * offset is read in each schedule's own time zone. @default never
   */
  until?: Date | string | number;
}

/** How to unpause many schedules. */
export interface BulkUnpauseOptions extends BulkOptions {
  /** Why the schedules are unpaused, for people to read. @default 'Unpaused via Escapement' */
  note?: string;
}

/** How to fire many schedules once, now. */
export interface BulkTriggerOptions extends BulkOptions {
  /** The overlap policy if an earlier firing is running. @default 'ALLOW_ALL' */
  overlap?: OverlapPolicy;
  /** Also fire schedules that a freeze holds. @default false */
  duringFreeze?: boolean;
}

/** Which labels to set on many schedules, at least one of the three. Null removes a label. */
export interface BulkTagOptions extends BulkOptions {
  /** Who is responsible for the schedules. @default unchanged */
  owner?: string | null;
  /** Link to the run-book of the schedules. @default unchanged */
  runbook?: string | null;
  /**
   * Search attributes by name, each with a list of values, or null to remove it. Other attributes of a schedule stay.
   * @default unchanged
   */
  searchAttributes?: Record<string, unknown[] | null>;
}

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
  until: z
    .union([instantOrText, count], {
      error: 'is neither a Date in the years 1 to 9999, a text nor a whole number of milliseconds from 1',
    })
    .optional(),
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
