import type { Context } from '@temporalio/activity';
import type { Registry } from 'prom-client';
import { z } from 'zod';
import { tenantOrAll, thing } from '../core/option-fields';
import { checkOptions, type FieldsOf } from '../core/options';
import { type OpenStore, openStore, type PostgresOptions, type Store } from '../store/connection';
import { POSTGRES_FIELDS } from '../store/postgres-options';
import { LeasesNotConfiguredError } from './errors';
import { LeaseMetrics } from './lease-metrics';
import { savedDetails } from './saved-details';

/** Opens the ledger for a worker's activities. */
export interface ActivityLedger {
  /** The one tenant that the worker works for. */
  tenant: string | undefined;
  /** Opened at its first use, and again after {@link close}. */
  store(): Store;
  /** Of the waits for leases. */
  metrics: LeaseMetrics;
  close(): Promise<void>;
}

/** How a worker's activities reach the ledger, and for whom. */
export interface ActivityLedgerOptions extends PostgresOptions {
  /**
   * The one tenant that the worker works for: its leases are the tenant's, apart from all others of the same name. Left out it
   * works for several, or for none. @default none
   */
  tenant?: string;
  /** Where it is measured how activities wait for leases, of the package `prom-client`. @default nowhere */
  metrics?: Registry;
}

/** Fields of {@link ActivityLedgerOptions}. */
export const LEDGER_FIELDS = {
  ...POSTGRES_FIELDS,
  tenant: tenantOrAll,
  metrics: thing.optional(),
} satisfies FieldsOf<ActivityLedgerOptions>;

const ledgerOptions = z.strictObject(LEDGER_FIELDS);

const ledgerByContext = new WeakMap<Context, ActivityLedger>();

/** A ledger that opens no connection yet. */
export function activityLedger(options: ActivityLedgerOptions): ActivityLedger {
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

/** An activity interceptor that lets each activity find the ledger; given twice it acts once. */
export function provideLedger(ledger: ActivityLedger): (context: Context) => Record<string, never> {
  return (context) => {
    if (!ledgerByContext.has(context)) ledgerByContext.set(context, ledger);
    // From the first instant, so that progress saved before the lease is kept too.
    savedDetails(context);
    return {};
  };
}

/**
 * For workers without `EscapementPlugin`: what lets their activities call `withLease`, as
 * `interceptors: { activity: [leaseInterceptor({ pool })] }`. Opens no connection before the first lease.
 *
 * @throws {InvalidOptionError} for an option that there is not; without `pool` and `connectionString` at the first lease
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
