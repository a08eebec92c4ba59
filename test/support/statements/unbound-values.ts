import { CompiledQuery, sql } from 'kysely';
import type { Client } from 'pg';

/**
 * Wrong ways to put a value into SQL, one per line. `test/house/bound-values.test.ts` must find each of them. Nobody
 * calls this code.
 */
export function unboundValues(client: Client, name: string, state: 'claimed' | 'closed', limit: number): unknown[] {
  return [
    sql`f.schedule_id = ${name} and f.state = ${sql.lit(state)} limit ${sql.lit(limit)} offset ${sql.raw('0')}`,
    sql`f.schedule_id = ${sql.lit(name)}`,
    sql`select ${sql.raw(`f.state = ${name}`)}`,
    CompiledQuery.raw(`select '${name}'`),
    client.query(`select ${name}`),
    client.query({ text: `select ${name}`, values: [] }),
    [sql].map((tag) => tag`select 1`),
  ];
}
