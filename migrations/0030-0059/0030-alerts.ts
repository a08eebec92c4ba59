import { sql } from 'kysely';
import { buildIndex, type LedgerMigration, step } from '../migration';

export function alerts(schema: string): LedgerMigration {
  const name = (table: string) => sql.id(schema, table);
  return {
    oldestProgram: 8,
    steps: [
      step(
        sql`create table ${name('alerts')} (
          alert_id uuid primary key,
          condition text not null,
          subject text not null,
          tenant text not null default '',
          schedule_id text,
          opened_at timestamptz(3) not null,
          last_seen_at timestamptz(3) not null,
          looked_at timestamptz(3) not null,
          good_since timestamptz(3),
          resolved_at timestamptz(3),
          acknowledged_at timestamptz(3),
          acknowledged_by text,
          count int not null,
          text text not null,
          summary_id uuid)`,
        // A condition has at most one open alert about a subject, even if several triggers see the problem.
        sql`create unique index alerts_open on ${name('alerts')} (condition, subject) where resolved_at is null`,
        sql`create index alerts_subject on ${name('alerts')} (condition, subject, last_seen_at)`,
        sql`create index alerts_looked on ${name('alerts')} (looked_at) where resolved_at is null`,
        sql`create index alerts_time on ${name('alerts')} (opened_at, alert_id)`,
        sql`create index alerts_summary on ${name('alerts')} (summary_id) where resolved_at is null`,
        sql`create table ${name('alert_targets')} (
          target text primary key,
          since timestamptz(3) not null,
          next_attempt_at timestamptz(3) not null,
          failing_since timestamptz(3))`,
        sql`create table ${name('alert_messages')} (
          message_id uuid not null,
          target text not null,
          seq bigint generated always as identity,
          alert_id uuid not null,
          body text not null,
          created_at timestamptz(3) not null,
          attempts int not null default 0,
          last_error text,
          delivered_at timestamptz(3),
          primary key (message_id, target))`,
        sql`create index alert_messages_due on ${name('alert_messages')} (target, seq) where delivered_at is null`,
      ),
      buildIndex('firings_skipped', 'firings', `(claimed_at) where state = 'skipped'`),
      buildIndex('firings_stalled', 'firings', `(scheduled_time) where state = 'linked' and stalled is not null`),
    ],
  };
}
