import type { Context } from '@temporalio/activity';
import { z } from 'zod';
import { checkOptions } from '../core/options';
import { type OpenStore, openStore, type PostgresOptions, type Store } from '../store/connection';
import { POSTGRES_FIELDS } from '../store/postgres-options';
import { LeasesNotConfiguredError } from './errors';
import { savedDetails } from './saved-details';

/** Opens the ledger for a worker's activities. */
export interface ActivityLedger {
  /** Opened at its first use, and again after {@link close}. */
  store(): Store;
  close(): Promise<void>;
}

const ledgerOptions = z.strictObject(POSTGRES_FIELDS);

const ledgerByContext = new WeakMap<Context, ActivityLedger>();

/** A ledger that opens no connection yet. */
export function activityLedger(options: PostgresOptions): ActivityLedger {
  let open: OpenStore | undefined;
  return {
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
export function leaseInterceptor(options: PostgresOptions): (context: Context) => Record<string, never> {
  checkOptions(ledgerOptions, options);
  return provideLedger(activityLedger(options));
}

/** @throws {LeasesNotConfiguredError} */
export function ledgerOf(context: Context): Store {
  const ledger = ledgerByContext.get(context);
  if (!ledger) throw new LeasesNotConfiguredError();
  return ledger.store();
}
