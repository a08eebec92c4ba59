import { sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';

export function leases(schema: string): LedgerMigration {
  const name = (table: string) => sql.id(schema, table);
  return {
    oldestProgram: 1,
    steps: [
      step(
        // A row of `leases` stays for a day after its lease has ended. It has the last fencing token.
        sql`create table ${name('leases')} (
        resource text primary key,
        token bigint not null,
        holder text not null,
        acquired_at timestamptz(3) not null,
        expires_at timestamptz(3) not null,
        unique (resource, token))`,
        sql`comment on constraint leases_resource_token_key on ${name('leases')} is
        'makes a change of the token conflict with FOR KEY SHARE of a guarded transaction, and a renewal not'`,
        guardFunction(schema),
        sql`revoke execute on function ${name('guard_lease')}(text, bigint, int) from public`,
      ),
    ],
  };
}

/**
 * `guard_lease` fences the calling transaction. If the lease is over, the function raises an error, and the transaction
 * cannot commit. The row lock of the function keeps other holders from acquiring the lease until the transaction ends.
 * Postgres ends the session of a transaction that is idle for longer than the given time, such as that of a frozen
 * process. The function is SECURITY DEFINER, so that roles without rights on `leases` can call it.
 */
function guardFunction(schema: string) {
  return sql`create function ${sql.id(schema, 'guard_lease')}(wanted text, held_token bigint, idle_milliseconds int) returns void
    language plpgsql security definer
    set search_path = ${sql.id(schema)}, pg_temp as $$
    begin
      perform set_config(name, case when setting::int = 0 then idle_milliseconds else least(setting::int, idle_milliseconds) end::text, true)
        from pg_catalog.pg_settings where name = 'idle_in_transaction_session_timeout';
      perform from leases where resource = wanted and token = held_token and expires_at > clock_timestamp() for key share;
      if not found then
        raise exception 'the lease on % with token % is over', wanted, held_token using errcode = 'ES002';
      end if;
      perform set_config('escapement.guarded_by', held_token::text, true);
    end $$`;
}
