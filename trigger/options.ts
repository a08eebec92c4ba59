import type { ConnectionOptions } from '@temporalio/client';
import type { Duration, Logger } from '@temporalio/common';
import type { Registry } from 'prom-client';
import { z } from 'zod';
import { ALERT_FIELDS, type AlertOptions } from '../alerts/webhooks';
import { namespace, scheduleId } from '../core/definition/shape';
import { millisecondsOf } from '../core/duration';
import type { FailureTextOptions } from '../core/letters/failure-text';
import { duration, durationOrNone, FAILURE_TEXT_FIELDS, name, thing } from '../core/option-fields';
import { checkOptions, type FieldsOf } from '../core/options';
import type { PostgresOptions } from '../store/connection';
import { POSTGRES_FIELDS } from '../store/postgres-options';
import type { NamespaceOptions } from '../temporal/routes';
import type { Clock } from './clock';
import type { StartCaps } from './dispatch/caps';
import { LIMITS, type TriggerLimits } from './limits';

/** How a trigger connects to Postgres and Temporal, and how it behaves. */
export interface TriggerOptions extends PostgresOptions, FailureTextOptions {
  /**
   * The Temporal server, as `Connection.connect` takes it. The trigger takes options instead of a connection, since it
   * creates its own connection without the SDK's retries.
   *
   * @default localhost:7233; none if `namespaces` is given
   */
  connection?: ConnectionOptions;
  /**
   * Servers of namespaces that are not on `connection`, by namespace. If one of these servers does not answer, only the
   * schedules of its namespaces wait. @default none: every namespace is on the server of `connection`
   */
  namespaces?: Record<string, NamespaceOptions>;
  /** @default pino, JSON lines at level info */
  logger?: Logger;
  /**
   * The registry of the package `prom-client` in which the trigger registers its metrics. @default a registry of its
   * own, `Trigger.metrics`
   */
  metrics?: Registry;
  /** IDs of the few schedules that have metrics of their own, under the label `schedule`; at most 100. @default none */
  metricsSchedules?: string[];
  /** The identity of the client that starts workflows, as Temporal shows it. @default `escapement@<host>` */
  identity?: string;
  /**
   * The most starts per second of all triggers of the ledger together, on average, by namespace or task queue. @default
   * no cap
   */
  maxStartsPerSecond?: StartCaps;
  /**
   * The most concurrent start calls of this trigger to one namespace. The actual number of calls adapts to the server's
   * latency. @default 64
   */
  startsInFlight?: number;
  /**
   * How far ahead of its time a firing of a burst may be handed to Temporal, unless its schedule's `preStart` says how
   * far. With 0, no firing is handed over ahead. @default '10 seconds'
   */
  preStartCap?: Duration;
  /**
   * How long a failing start is retried while the server answers other calls. After that time the firing is abandoned.
   * If the server refuses every call to the namespace, only starts that were never called are abandoned after that time,
   * except redrives. If the namespace does not exist, a firing whose workflow was started is
   * closed as `unknown` after that time.
   * @default '1 hour'
   */
  refusedAtMost?: Duration;
  /**
   * How long `CANCEL_OTHER` waits for the cancelled chain to end before the waiting firing is skipped. @default '10
   * minutes'
   */
  cancelWait?: Duration;
  /** How long a workflow task may wait for a worker before its chain is shown as stalled. @default '1 minute' */
  stalledAfter?: Duration;
  /** Where alerts are sent: see `docs/alerts.md`. @default nowhere; alerts are only rows in `alerts` */
  alerts?: AlertOptions;
}

/** Options that only the testing kit and tests may set. These options are not validated. */
export interface TunedTriggerOptions extends TriggerOptions {
  /** @default an estimate of the database's clock, which each heartbeat corrects */
  clock?: Clock;
  /** A function that returns epoch milliseconds by this host's own clock. @default Date.now */
  hostClock?: () => number;
  /** A function that returns a monotonic time in milliseconds, for the caps on starts. @default performance.now */
  monotonic?: () => number;
  limits?: Partial<TriggerLimits>;
}

const perSecond = z.record(
  z.string(),
  z.custom((value) => typeof value === 'number' && value > 0, { error: 'is not a number above 0' }),
);

export const TRIGGER_FIELDS: FieldsOf<Omit<TriggerOptions, keyof typeof POSTGRES_FIELDS>> = {
  connection: thing.optional(),
  namespaces: z.record(namespace, z.strictObject({ connection: thing })).optional(),
  logger: thing.optional(),
  metrics: thing.optional(),
  metricsSchedules: z.array(scheduleId).max(100).optional(),
  identity: name.optional(),
  ...FAILURE_TEXT_FIELDS,
  maxStartsPerSecond: z.strictObject({ namespaces: perSecond.optional(), taskQueues: perSecond.optional() }).optional(),
  startsInFlight: z.int().min(1).max(10_000).optional(),
  preStartCap: durationOrNone.optional(),
  refusedAtMost: duration.optional(),
  cancelWait: durationOrNone.optional(),
  stalledAfter: duration.optional(),
  alerts: ALERT_FIELDS.optional(),
};

const options = z.strictObject({ ...POSTGRES_FIELDS, ...TRIGGER_FIELDS });

/** @throws {InvalidOptionError} for an unknown or invalid option */
export function checkTriggerOptions(given: unknown): void {
  checkOptions(options, given);
}

/** Limits that a test sets take precedence over options, and options over defaults. */
export function limitsOf({ startsInFlight, limits, ...durations }: TunedTriggerOptions): TriggerLimits {
  const set = {
    startsInFlight,
    preStartCapMilliseconds: millisecondsOf(durations.preStartCap),
    refusedAtMostMilliseconds: millisecondsOf(durations.refusedAtMost),
    cancelWaitMilliseconds: millisecondsOf(durations.cancelWait),
    stalledAfterMilliseconds: millisecondsOf(durations.stalledAfter),
    ...limits,
  };
  const given = Object.entries(set).filter(([, value]) => value !== undefined);
  return { ...LIMITS, ...Object.fromEntries(given) };
}
