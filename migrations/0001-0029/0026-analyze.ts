import { sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';
import { ensureAgainFunction } from './0004-retention';

/**
 * So many changed rows of a month, however many it has: by Postgres's own tenth a month of ten million firings would be analyzed after a
 * million changes, and a burst be over before that. After 20,000 autovacuum does it at its next round, within a minute; that took 0.3 to
 * 0.8 s for a month of one to three million rows.
 */
export const ANALYZED_AFTER = sql`autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 20000`;

/** Months are analyzed by a number of changes, not by a share of their rows. */
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
