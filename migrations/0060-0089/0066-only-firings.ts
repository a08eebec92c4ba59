import { sql } from 'kysely';
import { countFunction, ensureFollowedFunction } from '../0030-0059/0057-counts';
import { type LedgerMigration, step } from '../migration';

/**
 * This migration lets `ensure_partition` and `count_firings` lock only the table `firings` itself. Before, they also
 * locked the table of each month, so they waited for an index build or a vacuum of any month.
 */
export function onlyFirings(schema: string): LedgerMigration {
  return {
    oldestProgram: 8,
    steps: [
      step(
        // The lock of `db grants --apply`: Postgres refuses two transactions that change one function at once.
        sql`select pg_advisory_xact_lock(hashtext(${sql.lit(`escapement grants ${schema}`)}))`,
        ensureFollowedFunction(schema),
        countFunction(schema, sql`create or replace`),
      ),
    ],
  };
}
