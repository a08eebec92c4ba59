import { z } from 'zod';
import { alertRules } from '../alert-rules';
import { isTooLong, millisecondsOf } from '../duration';
import { InvalidScheduleError } from '../errors';
import { externalId, isPrintable, isScheduleId, note, owner, runbook, storable, tenantOrAll } from '../option-fields';
import { problemOf } from '../options';
import type { ScheduleOptions } from '../schedule/options';
import { OVERLAP_POLICIES } from '../schedule/policies';
import { isStorable } from '../storable';
import { type EncodedArgs, isEncodedArgs, NO_ARGS } from './encoded-args';

export const NO_DURATION = "is not a duration; use milliseconds or a text such as '90 minutes'";
export const NO_PRE_START = 'is neither true, false nor a duration';

/** A name in Temporal. By default, Temporal's server refuses names of more than 1,000 bytes. */
const text = z
  .string()
  .min(1)
  .refine((value) => Buffer.byteLength(value) <= LONGEST_NAME_BYTES && isPrintable(value), {
    error: 'is not 1 to 1,000 bytes of text without control characters',
  });
const duration = z.union([z.string(), z.number()], { error: NO_DURATION });

const NO_COUNT = 'is not a whole number from 0, or Number.POSITIVE_INFINITY for no limit';

export const LARGEST_INTEGER = 2 ** 31 - 1;

const LONGEST_NAME_BYTES = 1_000;
const NAMESPACE = /^[A-Za-z0-9][A-Za-z0-9._-]{1,999}$/;
const NO_NAMESPACE =
  'is not a namespace: 2 to 1,000 letters, digits, dots, dashes and underscores, the first a letter or digit';

const retry = z.strictObject({
  initialInterval: duration.optional(),
  // Temporal's `describe` returns 0 for a field that was not set.
  backoffCoefficient: z.union([z.number().min(1), z.literal(0)], { error: 'is not a number from 1' }).optional(),
  maximumInterval: duration.optional(),
  maximumAttempts: z
    .union([z.int().min(0).max(LARGEST_INTEGER), z.literal(Number.POSITIVE_INFINITY)], { error: NO_COUNT })
    .optional(),
  nonRetryableErrorTypes: z.array(storable).optional(),
});

const priority = z.strictObject({
  priorityKey: z.int().min(0).max(LARGEST_INTEGER).optional(),
  fairnessKey: storable
    .refine((value) => Buffer.byteLength(value) <= 64, { error: 'is longer than 64 bytes' })
    .optional(),
  fairnessWeight: z.number().min(0).optional(),
});

const memo = z
  .record(z.string(), z.unknown())
  .refine((value) => Object.keys(value).every((key) => key !== '' && isStorable(key)), {
    error: 'has a key that cannot be stored',
  });

export const args = z.custom<unknown[] | EncodedArgs>((value) => Array.isArray(value) || isEncodedArgs(value), {
  error: NO_ARGS,
});

const action = z.strictObject({
  type: z.literal('startWorkflow'),
  workflowType: z.union(
    [text, z.custom<{ name: string }>((value) => typeof value === 'function' && value.name !== '')],
    { error: 'is neither a workflow type nor a named workflow function' },
  ),
  taskQueue: text,
  args: args.optional(),
  workflowId: text.optional(),
  retry: retry.optional(),
  workflowExecutionTimeout: duration.optional(),
  workflowRunTimeout: duration.optional(),
  workflowTaskTimeout: duration.optional(),
  memo: memo.optional(),
  searchAttributes: z.unknown().optional(),
  typedSearchAttributes: z.unknown().optional(),
  staticSummary: storable.optional(),
  staticDetails: storable.optional(),
  priority: priority.optional(),
  softTimeout: duration.optional(),
});

const policies = z.strictObject({
  overlap: z.enum(OVERLAP_POLICIES).optional(),
  catchupWindow: duration.optional(),
  catchupLimit: z.custom<number>(isCount, { error: NO_COUNT }).optional(),
  pauseOnFailure: z.boolean().optional(),
  onUncertain: z.enum(['SKIP', 'START']).optional(),
  preStart: z.union([z.boolean(), duration], { error: NO_PRE_START }).optional(),
  maxConcurrent: z.int().positive().max(LARGEST_INTEGER).optional(),
  parkedHolds: z.boolean().optional(),
  parkedAtMost: duration.optional(),
  alerts: alertRules.optional(),
});

const state = z.strictObject({
  paused: z.boolean().optional(),
  note: note.optional(),
  remainingActions: z.int().min(0).max(LARGEST_INTEGER).optional(),
  triggerImmediately: z.boolean().optional(),
  backfill: z
    .array(z.strictObject({ start: z.unknown(), end: z.unknown(), overlap: z.unknown().optional() }))
    .optional(),
  // Fields that `describe` adds.
  completed: z.unknown().optional(),
  completedAt: z.unknown().optional(),
  completedBy: z.unknown().optional(),
  pausedAt: z.unknown().optional(),
  pausedBy: z.unknown().optional(),
  pausedUntil: z.unknown().optional(),
  specError: z.unknown().optional(),
  setAsideAt: z.unknown().optional(),
  shadow: z.unknown().optional(),
});

export const scheduleId = z
  .string()
  .refine(isScheduleId, { error: 'is not 1 to 255 bytes of text without control characters' })
  .refine((value) => value !== '.' && value !== '..', { error: 'means a folder in a URL' });

export const namespace = z.string().regex(NAMESPACE, { error: NO_NAMESPACE });

export const scheduleShape = z.strictObject({
  scheduleId,
  spec: z.record(z.string(), z.unknown()),
  action,
  policies: policies.optional(),
  state: state.optional(),
  memo: memo.optional(),
  searchAttributes: z.unknown().optional(),
  typedSearchAttributes: z.unknown().optional(),
  namespace: namespace.optional(),
  tenant: tenantOrAll,
  owner: owner.optional(),
  runbook: runbook.optional(),
  externalId: externalId.optional(),
  // Fields that only `describe` adds, in Escapement or in Temporal.
  definition: z.unknown().optional(),
  info: z.unknown().optional(),
  source: z.unknown().optional(),
  raw: z.unknown().optional(),
});

/** @throws {InvalidScheduleError} with the path of the first problem */
export function readShape(options: ScheduleOptions): z.infer<typeof scheduleShape> {
  const problem = problemOf(scheduleShape, options);
  if (problem) throw new InvalidScheduleError(problem.path, problem.problem);
  return options as z.infer<typeof scheduleShape>;
}

/**
 * The milliseconds of a duration in Temporal's form.
 *
 * @throws {InvalidScheduleError} naming `path`, also for 0 or less and for more than 100 years
 */
export function durationMilliseconds(path: string, value: string | number): number {
  const milliseconds = millisecondsOf(value);
  if (milliseconds === undefined || milliseconds <= 0) {
    throw new InvalidScheduleError(path, `'${value}' ${NO_DURATION}`);
  }
  if (isTooLong(milliseconds)) throw new InvalidScheduleError(path, `'${value}' is longer than 100 years`);
  return milliseconds;
}

export function optionalMilliseconds(path: string, value: string | number | undefined): number | undefined {
  return value === undefined ? undefined : durationMilliseconds(path, value);
}

function isCount(value: unknown): boolean {
  return value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && (value as number) >= 0);
}
