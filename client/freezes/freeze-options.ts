import { z } from 'zod';
import { FREEZE_CATCH_UPS, type FreezeCatchUp } from '../../core/decisions/freeze';
import { scheduleId } from '../../core/definition/shape';
import { flag, instant, narrowing, note, oneOf, storable, tenantOrAll } from '../../core/option-fields';
import type { FieldsOf } from '../../core/options';

/**
 * Which schedules to freeze, and for how long. Give `all`, or at least one of `scheduleIds`, `source`, `query` and
 * `tenant`. A schedule must match each of those that are given.
 */
export interface FreezeOptions {
  /**
   * Beginning of the freeze, at the earliest now. Occurrences that would start at this instant or later are held back.
   * @default now
   */
  from?: Date;
  /** End of the freeze: occurrences that would start at this instant or later are not held back. */
  to: Date;
  /** Only schedules of this source, including those that it declares during the freeze. @default any */
  source?: string;
  /** Only schedules that match this filter, of up to 1,000 characters, when a trigger decides on them. @default any */
  query?: string;
  /** Only these schedules, at most 10,000. @default any */
  scheduleIds?: string[];
  /** Only schedules of this tenant. @default the client's tenant, or all tenants */
  tenant?: string;
  /** `true` for all schedules that the client can see. @default false */
  all?: boolean;
  /**
   * What to fire of the held-back occurrences when the freeze ends. `NONE`: none of them. `LAST`: the last one of each
   * schedule. `ALL`: all of them. `POLICY`: those that the schedule's catch-up window and limit allow.
   *
   * @default 'NONE'
   */
  catchUp?: FreezeCatchUp;
  /** Why the schedules are frozen, for people to read. @default none */
  note?: string;
  /** Write nothing, and return what the freeze would hold back. @default false */
  dryRun?: boolean;
}

/** Which freezes to list. */
export interface ListFreezesOptions {
  /** Include freezes that are over. @default false */
  ended?: boolean;
  /** Maximum number, up to 10,000. @default 200 */
  limit?: number;
  /** Only freezes of this tenant, not those that concern all tenants. @default the client's tenant, or all tenants */
  tenant?: string | undefined;
}

const MOST_IDS = 10_000;
const MOST_LISTED = 10_000;

export const freezeOptions = z.strictObject({
  from: instant.optional(),
  to: instant,
  source: storable.optional(),
  query: narrowing.optional(),
  scheduleIds: z.array(scheduleId).min(1).max(MOST_IDS).optional(),
  tenant: tenantOrAll,
  all: flag.optional(),
  catchUp: oneOf(FREEZE_CATCH_UPS).optional(),
  note: note.optional(),
  dryRun: flag.optional(),
} satisfies FieldsOf<FreezeOptions>);

export const listFreezesOptions = z.strictObject({
  ended: flag.optional(),
  limit: z.int().min(1).max(MOST_LISTED).optional(),
  tenant: tenantOrAll,
} satisfies FieldsOf<ListFreezesOptions>);
