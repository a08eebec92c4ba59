import { z } from 'zod';
import { alertRules } from '../core/alert-rules';
import { args, namespace, scheduleId } from '../core/definition/shape';
import { isDuration, millisecondsOf } from '../core/duration';
import { REDRIVE_MODES } from '../core/letters/redrive';
import { show } from '../core/occurrences/show';
import {
  callback,
  count,
  flag,
  instant,
  instantOrText,
  name,
  note,
  oneOf,
  storable,
  tenant,
  tenantOrAll,
  thing,
  thingOrCallback,
} from '../core/option-fields';
import type { FieldsOf } from '../core/options';
import { OVERLAP_POLICIES } from '../core/schedule/policies';
import type { CompareOptions } from '../moving/compare/compare-options';
import type { ImportOptions } from '../moving/import/import-options';
import type { CutOverOptions, MoveOptions } from '../moving/move-options';
import { POSTGRES_FIELDS } from '../store/postgres-options';
import type { ApplyOptions } from './apply/apply-options';
import type { ResetSourceOptions } from './apply/source-options';
import type { BackfillOptions } from './backfill/backfill-options';
import type { ManualFiringOptions } from './backfill/manual';
import type { RunAgainOptions } from './backfill/run-again-options';
import type { EscapementClientOptions } from './client-options';
import type { CompleteOptions } from './letters/complete';
import type { DiscardAllOptions, DiscardOptions, RestoreOptions } from './letters/discard';
import type { PlanRedriveOptions } from './letters/plan';
import type { RedriveOptions } from './letters/redrive';
import type { RedriveAllOptions } from './letters/redrive-all';
import type { LedgerSettingsUpdate } from './settings/settings-update';
import type { TenantLimitsUpdate } from './tenants/limits-update';
import type { TransactionOptions } from './transaction';
import type { DeleteOptions } from './update/delete-options';
import type { PauseOptions } from './update/pause';
import type { VersionsOptions } from './update/versions';

const wholeNumber = z.custom((value) => Number.isSafeInteger(value) && (value as number) >= 0, {
  error: 'is not a whole number from 0',
});

const LONGEST_SOURCE = 200;
/** Upper bound for `nextTimes`, since all requested times are kept in memory. */
const MOST_NEXT_TIMES = 10_000;

const transactionFields: FieldsOf<TransactionOptions> = {
  transaction: z
    .custom((value) => typeof value === 'object' && value !== null, {
      error: 'is neither a transaction of pg or Kysely, nor an object with query(text, values)',
    })
    .optional(),
};

export const clientOptions = z.strictObject({
  ...POSTGRES_FIELDS,
  identity: name.optional(),
  dataConverter: thing.optional(),
  namespace: namespace.optional(),
  tenant: tenantOrAll,
  temporal: thingOrCallback.optional(),
  interceptors: thing.optional(),
  now: callback.optional(),
} satisfies FieldsOf<EscapementClientOptions>);

/**
 * With a lower value, a live trigger could count as dead. A trigger that has not read the new value yet may send its
 * next heartbeat four seconds later.
 */
const SHORTEST_STALE_MILLISECONDS = 5_000;
const LONGEST_STALE_MILLISECONDS = 3_600_000;

const isStaleAfter = (value: unknown) => {
  const milliseconds = millisecondsOf(value) ?? 0;
  return milliseconds >= SHORTEST_STALE_MILLISECONDS && milliseconds <= LONGEST_STALE_MILLISECONDS;
};

export const ledgerSettings = z.strictObject({
  staleAfter: z.custom(isStaleAfter, { error: 'is not a duration of 5 seconds to 1 hour' }).optional(),
  retention: z
    .custom((value) => value === Number.POSITIVE_INFINITY || isDuration(value), {
      error: ({ input }) => `${show(input)} is neither a duration, such as '90 days', nor Infinity`,
    })
    .optional(),
  archiveFirst: flag.optional(),
  alerts: alertRules.optional(),
} satisfies FieldsOf<LedgerSettingsUpdate>);

export const handleOptions = z.strictObject({ scheduleId });

export const timeOption = z.strictObject({ time: instantOrText });

export const transactionOptions = z.strictObject(transactionFields);

export const deleteOptions = z.strictObject({
  ...transactionFields,
  expected: callback.optional(),
} satisfies FieldsOf<DeleteOptions>);

const overlap = z.enum(OVERLAP_POLICIES);

export const triggerOptions = z.strictObject({
  overlap: overlap.optional(),
  args: args.optional(),
  duringFreeze: flag.optional(),
  ...transactionFields,
} satisfies FieldsOf<ManualFiringOptions & TransactionOptions>);

export const runAgainOptions = z.strictObject({
  overlap: overlap.optional(),
  confirm: flag.optional(),
  duringFreeze: flag.optional(),
  note: note.optional(),
} satisfies FieldsOf<RunAgainOptions>);

export const noteOption = z.strictObject({ note: note.optional() });

export const pauseOptions = z.strictObject({
  note: note.optional(),
  until: z.union([instantOrText, z.number()], { error: 'is neither a Date, a text nor a duration' }).optional(),
} satisfies FieldsOf<PauseOptions>);

export const updateOptions = z.strictObject({ updater: callback });

export const versionsOptions = z.strictObject({
  pageSize: count.optional(),
  before: count.optional(),
} satisfies FieldsOf<VersionsOptions>);

export const nextTimesOptions = z.strictObject({
  count: z.custom(
    (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MOST_NEXT_TIMES,
    {
      error: `is not a whole number from 0 to ${MOST_NEXT_TIMES.toLocaleString('en')}`,
    },
  ),
});

/** `start` and `end` are read later, since the time zone of a text without an offset is the schedule's. */
export const backfillOptions = z.strictObject({
  start: z.unknown(),
  end: z.unknown(),
  overlap: overlap.optional(),
  dryRun: flag.optional(),
  refire: flag.optional(),
  duringFreeze: flag.optional(),
  progress: callback.optional(),
} satisfies FieldsOf<BackfillOptions>);

const source = storable.refine((value) => value !== '' && value.length <= LONGEST_SOURCE, {
  error: `is not a name of 1 to ${LONGEST_SOURCE} characters`,
});

export const sourceOption = z.strictObject({ source });

export const resetSourceOptions = z.strictObject({ revision: wholeNumber } satisfies FieldsOf<ResetSourceOptions>);

export const applyOptions = z.strictObject({
  source,
  revision: wholeNumber,
  onStale: oneOf(['throw', 'ignore']).optional(),
  prune: flag.optional(),
  pruneAtMost: wholeNumber.optional(),
  takeOver: flag.optional(),
  dryRun: flag.optional(),
  progress: callback.optional(),
} satisfies FieldsOf<ApplyOptions>);

const temporalClient = z.custom(
  (value) => typeof (value as { connection?: { workflowService?: unknown } })?.connection?.workflowService === 'object',
  { error: 'is not a Client of @temporalio/client' },
);

export const importOptions = z.strictObject({
  from: temporalClient,
  namespaces: z.array(namespace).optional(),
  query: storable.optional(),
  dryRun: flag.optional(),
  shadow: flag.optional(),
  undecoded: flag.optional(),
  progress: callback.optional(),
} satisfies FieldsOf<ImportOptions>);

const which = {
  from: temporalClient,
  scheduleIds: z.array(scheduleId).optional(),
  query: storable.optional(),
  all: flag.optional(),
};

export const moveOptions = z.strictObject({
  ...which,
  at: instant.optional(),
  progress: callback.optional(),
} satisfies FieldsOf<MoveOptions>);

export const cutOverOptions = moveOptions.extend({
  takeBuffer: flag.optional(),
} satisfies FieldsOf<Omit<CutOverOptions, keyof MoveOptions>>);

export const compareOptions = z.strictObject({
  ...which,
  start: instant.optional(),
  end: instant.optional(),
} satisfies FieldsOf<CompareOptions>);

const versioningOverride = z.union(
  [z.literal('AUTO_UPGRADE'), z.strictObject({ pinnedTo: z.strictObject({ deploymentName: name, buildId: name }) })],
  { error: "is neither 'AUTO_UPGRADE' nor { pinnedTo: { deploymentName, buildId } }" },
);

export const redriveOptions = z.strictObject({
  mode: oneOf(REDRIVE_MODES).optional(),
  force: flag.optional(),
  dryRun: flag.optional(),
  versioningOverride: versioningOverride.optional(),
  note: note.optional(),
} satisfies FieldsOf<RedriveOptions>);

/** Triggers allow at least one redrive in any two seconds, so no pace can be slower. */
const SLOWEST_PER_SECOND = 0.5;
const FASTEST_PER_SECOND = 10_000;

export const redriveAllOptions = redriveOptions.extend({
  progress: callback.optional(),
  perSecond: z
    .number()
    .min(SLOWEST_PER_SECOND, { error: `is less than ${SLOWEST_PER_SECOND}` })
    .max(FASTEST_PER_SECOND, { error: `is more than ${FASTEST_PER_SECOND}` })
    .optional(),
  atMost: count.exactOptional(),
} satisfies FieldsOf<Omit<RedriveAllOptions, keyof RedriveOptions>>);

export const planRedriveOptions = redriveAllOptions.pick({
  mode: true,
  force: true,
  atMost: true,
  progress: true,
} satisfies { [Name in keyof Required<PlanRedriveOptions>]: true });

export const completeOptions = z.strictObject({ note: note.optional() } satisfies FieldsOf<CompleteOptions>);

const reason = note.refine((value) => value.trim() !== '', { error: 'is empty; say why the letter is discarded' });

export const discardOptions = z.strictObject({ note: reason } satisfies FieldsOf<DiscardOptions>);

export const discardAllOptions = discardOptions.extend({
  dryRun: flag.optional(),
  progress: callback.optional(),
} satisfies FieldsOf<Omit<DiscardAllOptions, keyof DiscardOptions>>);

export const restoreOptions = z.strictObject({ note: note.optional() } satisfies FieldsOf<RestoreOptions>);

export const tenantOption = z.strictObject({
  tenant: tenant.refine((value) => value !== '', { error: 'is empty; schedules without a tenant have no limits' }),
});

/** Maximum number of names in one limit. `describe` compares each name with every live schedule of the tenant. */
const MOST_NAMES = 100;
/** The largest value of Postgres's type `integer`. */
const MOST_COUNTED = 2 ** 31 - 1;

const names = z
  .array(
    name.refine((value) => !value.slice(0, -1).includes('*'), {
      error: "has a '*' before its end; a '*' is only allowed at the end",
    }),
    { error: 'is not a list of names, nor null' },
  )
  .max(MOST_NAMES, { error: `has more than ${MOST_NAMES} names` });

const quota = z.custom(
  (value) =>
    value === null || (Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MOST_COUNTED),
  { error: `is neither a whole number from 0 to ${MOST_COUNTED.toLocaleString('en')} nor null` },
);

export const tenantLimits = z.strictObject({
  namespaces: names.nullable().optional(),
  taskQueues: names.nullable().optional(),
  schedules: quota.optional(),
  firingsPerHour: quota.optional(),
} satisfies FieldsOf<TenantLimitsUpdate>);
