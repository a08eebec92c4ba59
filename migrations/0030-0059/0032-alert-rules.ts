import { sql } from 'kysely';
import { buildIndex, type LedgerMigration, step } from '../migration';

export function alertRules(schema: string): LedgerMigration {
  const name = (table: string) => sql.id(schema, table);
  return {
    oldestProgram: 8,
    steps: [
      // Alerts use this index to check whether any schedule has a deadline.
      buildIndex(
        'schedule_versions_deadline',
        'schedule_versions',
        `(schedule_id) where policies -> 'alerts' ? 'notDone'`,
      ),
      step(
        sql`alter table ${name('alerts')} add column told_at timestamptz(3)`,
        sql`update ${name('alerts')} set told_at = opened_at`,
        sql`create index alerts_untold on ${name('alerts')} (opened_at) where resolved_at is null and told_at is null`,
        sql`create table ${name('alert_silences')} (
          silence_id uuid primary key,
          tenant text,
          schedule_id text,
          condition text,
          until timestamptz(3) not null,
          reason text not null,
          actor text not null,
          created_at timestamptz(3) not null)`,
        sql`create index alerts_resolved on ${name('alerts')} (resolved_at) where resolved_at is not null`,
        sql`create index alert_messages_created on ${name('alert_messages')} (created_at)`,
        sql`create index alert_silences_until on ${name('alert_silences')} (until)`,
      ),
    ],
  };
}
