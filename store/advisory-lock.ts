import { type RawBuilder, sql } from 'kysely';
import type { Store } from './connection';

/** The key of an advisory lock. Each ledger of a database has its own. */
export function advisoryKey({ schema }: Pick<Store, 'schema'>, what: string, of = ''): RawBuilder<unknown> {
  return sql`hashtext(${`escapement ${what} ${schema}${of}`})`;
}

export async function holdLock(transaction: Store, what: string, of?: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${advisoryKey(transaction, what, of)})`.execute(transaction.db);
}
