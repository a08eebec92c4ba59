import { z } from 'zod';
import { FREEZE_CATCH_UPS, type FreezeCatchUp } from '../../core/decisions/freeze';
import { scheduleId } from '../../core/definition/shape';
import { flag, instant, note, oneOf, storable, tenantOrAll } from '../../core/option-fields';
import type { FieldsOf } from '../../core/options';

/** What is frozen, and for how long. Say at least one of `scheduleIds`, `source`, `query`, `tenant` and `all`; of several each must match. */
export interface FreezeOptions {
  /** What is to start at it, or later, is held back. @default now */
  from?: Date;
  /** What is to start at it, or later, fires. */
  to: Date;
  /** Those that this source declared, those that it declares meanwhile as well. @default any */
  source?: string;
  /** Those that match a list filter when they come due. @default any */
  query?: string;
  /** These alone, at most 10,000. @default any */
  scheduleIds?: string[];
  /** Those of this tenant. @default those of the client's tenant, or of all */
  tenant?: string;
  /** `true`: all schedules that the client sees. @default false */
  all?: boolean;
  /**
   * What becomes of what was held back, when it ends: nothing; the last occurrence of each schedule; all of them; or what the catch-up
   * window and limit of the schedule allow of what was missed.
   *
   * @default 'NONE'
   */
  catchUp?: FreezeCatchUp;
  /** Why, for people. @default none */
  note?: string;
  /** Show what it would hold back, and write nothing. @default false */
  dryRun?: boolean;
}

/** Which freezes are listed. */
export interface ListFreezesOptions {
  /** Those that are over as well. @default false */
  ended?: boolean;
  /** How many at most, up to 10,000. @default 200 */
  limit?: number;
  /** Of one tenant. @default all */
  tenant?: string | undefined;
}

const MOST_IDS = 10_000;
const MOST_LISTED = 10_000;

export const freezeOptions = z.strictObject({
  from: instant.optional(),
  to: instant,
  source: storable.optional(),
  query: storable.optional(),
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
