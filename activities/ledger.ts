import type { Context } from '@temporalio/activity';
import type { Registry } from 'prom-client';
import { z } from 'zod';
import { tenantOrAll, thing } from '../core/option-fields';
import { checkOptions, type FieldsOf } from '../core/options';
import { type OpenStore, openStore, type PostgresOptions, refusePasswordOfPool, type Store } from '../store/connection';
import { POSTGRES_FIELDS } from '../store/postgres-options';
import { LeasesNotConfiguredError } from './errors';
import { LeaseMetrics } from './lease-metrics';
import { savedDetails } from './saved-details';

export interface ActivityLedger {
  /** The only tenant that the worker works for; undefined if it works for several tenants, or for none. */
  tenant: string | undefined;
  /** The first call opens the store, and so does the first call after {@link close}. */
  store(): Store;
  metrics: LeaseMetrics;
  close(): Promise<void>;
}

/** How a worker's activities connect to the ledger, and for which tenant. */
export interface ActivityLedgerOptions extends PostgresOptions {
  /**
   * The only tenant that the worker works for. Leases of this tenant are separate from other leases of the same name.
   * Without this option, the worker works for several tenants, or for none. @default none
   */
  tenant?: string;
  /** The registry of the package `prom-client` for metrics of the waits for leases. @default no metrics */
  metrics?: Registry;
}

export const LEDGER_FIELDS = {
  ...POSTGRES_FIELDS,
  tenant: tenantOrAll,
  metrics: thing.optional(),
} satisfies FieldsOf<ActivityLedgerOptions>;

const ledgerOptions = z.strictObject(LEDGER_FIELDS);

const ledgerByContext = new WeakMap<Context, ActivityLedger>();

/** @throws {InvalidOptionError} with both `pool` and `password`: the store, which refuses them too, is opened late */
export function activityLedger(options: ActivityLedgerOptions): ActivityLedger {
  refusePasswordOfPool(options);
  let open: OpenStore | undefined;
  return {
    tenant: options.tenant,
    metrics: new LeaseMetrics(options.metrics),
    store: () => {
      open ??= openStore(options);
      return open;
    },
    close: async () => {
      const closing = open;
      open = undefined;
      await closing?.close();
    },
  };
}

/** An activity interceptor through which each activity finds the ledger. */
export function provideLedger(ledger: ActivityLedger): (context: Context) => Record<string, never> {
  return (context) => {
    if (!ledgerByContext.has(context)) ledgerByContext.set(context, ledger);
    // Details are remembered from the start of the activity, so that heartbeats of a later lease repeat them.
    savedDetails(context);
    return {};
  };
}

/**
 * For workers without `EscapementPlugin`: allows their activities to call `withLease`, as
 * `interceptors: { activity: [leaseInterceptor({ pool })] }`. The interceptor opens no connection before the first
 * lease.
 *
 * @throws {InvalidOptionError} for an unknown or invalid option, or `pool` with `password`. `withLease` throws this
 * error if both `pool` and `connectionString` are missing
 * @see `docs/leases.md`
 */
export function leaseInterceptor(options: ActivityLedgerOptions): (context: Context) => Record<string, never> {
  checkOptions(ledgerOptions, options);
  return provideLedger(activityLedger(options));
}

/** @throws {LeasesNotConfiguredError} */
export function ledgerOf(context: Context): ActivityLedger {
  const ledger = ledgerByContext.get(context);
  if (!ledger) throw new LeasesNotConfiguredError();
  return ledger;
}
