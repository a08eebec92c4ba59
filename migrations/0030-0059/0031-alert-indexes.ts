import { sql } from 'kysely';
import { buildIndex, type LedgerMigration, step } from '../migration';

/**
 * This migration adds indexes by which alerts find a firing or a schedule, and a view for monitoring the triggers from
 * outside.
 */
export function alertIndexes(schema: string): LedgerMigration {
  const name = (table: string) => sql.id(schema, table);
  return {
    oldestProgram: 8,
    steps: [
      // The instant is indexed as ISO 8601 text in UTC, which sorts in the order of time. A cast to a time depends on
      // the session's settings, so Postgres cannot index it.
      buildIndex(
        'firings_recovered',
        'firings',
        `((recovery ->> 'recoveredAt')) where (recovery ->> 'number')::int > 1`,
      ),
      buildIndex(
        'schedules_set_aside',
        'schedules',
        '(set_aside_at) where spec_error is not null and deleted_at is null',
      ),
      // The view `no_trigger` has a row while no trigger is alive, since dead triggers cannot report that.
      step(sql`create view ${name('no_trigger')} as
        select max(heartbeat_at) as since from ${name('triggers')}
        having coalesce(max(heartbeat_at), '-infinity') < clock_timestamp() - interval '1 millisecond' * coalesce(
          (select (value ->> 'staleAfterMilliseconds')::float8 from ${name('meta')} where key = 'settings'), 10000)`),
    ],
  };
}
