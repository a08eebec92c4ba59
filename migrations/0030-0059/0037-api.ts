import { sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';

export function api(schema: string): LedgerMigration {
  const name = (table: string) => sql.id(schema, table);
  return {
    oldestProgram: 8,
    steps: [
      step(
        sql`create table ${name('api_tokens')} (
          token_id uuid primary key,
          name text not null,
          hash bytea not null,
          tenant text,
          scopes text[] not null,
          created_at timestamptz(3) not null,
          created_by text not null,
          expires_at timestamptz(3),
          revoked_at timestamptz(3),
          revoked_by text)`,
        sql`create unique index api_tokens_hash on ${name('api_tokens')} (hash)`,
        sql`create unique index api_tokens_name on ${name('api_tokens')} (name) where revoked_at is null`,
        sql`create table ${name('api_audit')} (
          audit_id bigint generated always as identity primary key,
          at timestamptz(3) not null,
          tenant text,
          actor text not null,
          token text,
          address text not null,
          operation text not null,
          target text not null,
          status int)`,
        sql`create index api_audit_at on ${name('api_audit')} (at)`,
        sql`create index api_audit_tenant on ${name('api_audit')} (tenant, audit_id)`,
        sql`create table ${name('api_requests')} (
          caller text not null,
          key text not null,
          fingerprint text not null,
          created_at timestamptz(3) not null,
          status int,
          headers jsonb,
          body text,
          primary key (caller, key))`,
        sql`create index api_requests_created on ${name('api_requests')} (created_at)`,
      ),
    ],
  };
}
