import type { ConnectionOptions } from '@temporalio/client';
import type { Logger } from '@temporalio/common';
import { z } from 'zod';
import { DEFAULTS } from '../core/defaults';
import { InvalidOptionError } from '../core/errors';
import type { FailureTextOptions } from '../core/failure-text';
import { FAILURE_TEXT_FIELDS, LONGEST_TIMER_MILLISECONDS, name, thing } from '../core/option-fields';
import { checkOptions, type FieldsOf } from '../core/options';
import { namespace } from '../core/shape';
import type { PostgresOptions } from '../store/connection';
import { POSTGRES_FIELDS } from '../store/postgres-options';
import type { NamespaceOptions } from '../temporal/routes';
import type { Clock } from './clock';
import type { StartCaps } from './dispatch/caps';
import type { TriggerLimits } from './limits';

/** How a trigger reaches Postgres and Temporal, and how it behaves. */
export interface TriggerOptions extends PostgresOptions, FailureTextOptions {
  /**
   * How to reach Temporal, as `Connection.connect` takes it. Options rather than a connection, since the trigger's own
   * has the SDK's retries off.
   *
   * @default localhost:7233; none where `namespaces` is given
   */
  connection?: ConnectionOptions;
  /**
   * Servers of namespaces that `connection` does not have, by namespace. Where one does not answer, only its own
   * schedules wait. @default none: every namespace is on the server of `connection`
   */
  namespaces?: Record<string, NamespaceOptions>;
  /** @default pino, one JSON line per transition, at level info */
  logger?: Logger;
  /** @default this process's clock, set by the database's at each heartbeat */
  clock?: Clock;
  /** Shown in Temporal as the identity of the starter. @default `escapement@<host>` */
  identity?: string;
  /** @default DEFAULTS.trigger */
  limits?: Partial<TriggerLimits>;
  /** Starts a second that all triggers of the ledger together make at most, by namespace or task queue. @default no cap */
  maxStartsPerSecond?: StartCaps;
}

/** Each limit by what its name says it is. */
function limitField(limit: string): z.ZodType {
  if (limit === 'retentionMilliseconds') {
    return z.number().positive().or(z.literal(Number.POSITIVE_INFINITY)).optional();
  }
  if (limit === 'listEndsIntervalMilliseconds') return z.number().min(0).max(LONGEST_TIMER_MILLISECONDS).optional();
  if (limit.endsWith('IntervalMilliseconds')) return z.number().positive().max(LONGEST_TIMER_MILLISECONDS).optional();
  if (limit.endsWith('Milliseconds')) return z.number().min(0).optional();
  // A rate may be a start in ten seconds.
  if (limit.includes('PerSecond')) return z.number().positive().optional();
  return z.int().min(1).optional();
}

const limits = z.strictObject(
  Object.fromEntries(Object.keys(DEFAULTS.trigger).map((limit) => [limit, limitField(limit)])),
);

const perSecond = z.record(
  z.string(),
  z.custom((value) => typeof value === 'number' && value > 0, { error: 'is not a number above 0' }),
);

/** What a trigger takes beside how to reach Postgres. */
export const TRIGGER_FIELDS: FieldsOf<Omit<TriggerOptions, keyof typeof POSTGRES_FIELDS>> = {
  connection: thing.optional(),
  namespaces: z.record(namespace, z.strictObject({ connection: thing })).optional(),
  logger: thing.optional(),
  clock: thing.optional(),
  identity: name.optional(),
  limits: limits.optional(),
  ...FAILURE_TEXT_FIELDS,
  maxStartsPerSecond: z.strictObject({ namespaces: perSecond.optional(), taskQueues: perSecond.optional() }).optional(),
};

const options = z.strictObject({ ...POSTGRES_FIELDS, ...TRIGGER_FIELDS });

/** @throws {InvalidOptionError} for what no trigger can be made of */
export function checkTriggerOptions(given: unknown): void {
  checkOptions(options, given);
}

/**
 * The limits that are in force.
 *
 * @param at where they were given
 * @throws {InvalidOptionError} for those that contradict each other
 */
export function limitsOf(changed: Partial<TriggerLimits> = {}, at = 'limits'): TriggerLimits {
  const given = Object.entries(changed).filter(([, value]) => value !== undefined);
  const inForce: TriggerLimits = { ...DEFAULTS.trigger, ...Object.fromEntries(given) };
  if (inForce.startLeaseMilliseconds >= inForce.staleAfterMilliseconds) {
    throw new InvalidOptionError(`${at}.startLeaseMilliseconds`, 'must be less than limits.staleAfterMilliseconds');
  }
  return inForce;
}
