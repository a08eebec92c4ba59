import { sql } from 'kysely';
import { type LedgerMigration, step } from '../migration';

/**
 * This migration takes from PUBLIC the functions that count ended months. They run with their owner's rights, so every
 * role that may use the schema could lock a month against all firings, or falsify the counts.
 *
 * Grants from before migration 0057 do not name these functions. So the migration grants them to the roles that may
 * call `retire_partition`: these are the roles of triggers, which may be running.
 */
export function callers(schema: string): LedgerMigration {
  const name = (object: string) => sql.id(schema, object);
  const literal = (signature: string) => sql.lit(`${schema}.${signature}`);
  const called = sql`${name('begin_counts')}(timestamptz), ${name('count_firings')}(timestamptz, timestamptz)`;
  return {
    oldestProgram: 8,
    steps: [
      step(sql`do $$
        declare
          trigger_role regrole;
          month_maker regrole := (select proowner from pg_proc
            where oid = ${literal('ensure_partition(timestamptz, boolean)')}::regprocedure);
        begin
          -- The lock of \`db grants --apply\`: Postgres refuses two transactions that grant on one function at once.
          perform pg_advisory_xact_lock(hashtext(${sql.lit(`escapement grants ${schema}`)}));
          revoke execute on function ${called}, ${name('follow_counts')}() from public;
          -- To another role than the owner, Postgres says only by a warning that it has revoked nothing.
          if has_function_privilege('public', ${literal('begin_counts(timestamptz)')}, 'execute') then
            raise exception 'must be owner of function begin_counts' using errcode = '42501';
          end if;
          for trigger_role in select a.grantee from pg_proc p cross join lateral aclexplode(p.proacl) a
            where p.oid = ${literal('retire_partition(timestamptz)')}::regprocedure and a.grantee <> 0
          loop
            execute format('grant execute on function ${called} to %s', trigger_role);
          end loop;
          -- \`ensure_partition\` puts \`follow_counts\` on a month with the rights of its own owner.
          execute format('grant execute on function ${name('follow_counts')}() to %s', month_maker);
        end $$`),
    ],
  };
}
