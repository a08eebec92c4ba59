import { sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';
import { ensureAgainFunction } from './0004-retention';

/**
 * A month is analyzed after this many changed rows, whatever its size. With Postgres' default of a tenth of the rows, a
 * month of ten million firings would be analyzed only after a million changes.
 */
export const ANALYZED_AFTER = sql`autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 20000`;

/** With this migration, months are analyzed after a number of changes, and not after a share of their rows. */
export function analyze(schema: string): LedgerMigration {
  const storage = sql`fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, ${ANALYZED_AFTER}`;
  return {
    oldestProgram: 8,
    steps: [
      step(
        ensureAgainFunction(schema, sql`create or replace`, storage),
        sql`do $$ declare part regclass; begin
          for part in select inhrelid from pg_inherits where inhparent = to_regclass(${sql.lit(`${schema}.firings`)}) loop
            execute format('alter table %s set (${ANALYZED_AFTER})', part);
          end loop;
        end $$`,
      ),
    ],
  };
}
