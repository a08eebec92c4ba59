import { sql } from 'kysely';
import type { Store } from '../connection';

/** The former limit of a session: the name of the setting, and its value in milliseconds. */
export interface FormerLimit {
  name: string;
  setting: string;
}

/**
 * Lift the time limits that a session has by its role or database. Postgres knows `idle_session_timeout` since version
 * 14, and `transaction_timeout` since version 17.
 */
export async function liftLimits(store: Store): Promise<FormerLimit[]> {
  const { rows } = await sql<FormerLimit & { lifted: string }>`
    select name, setting, set_config(name, '0', false) as lifted from pg_settings where name in ('lock_timeout',
      'statement_timeout', 'transaction_timeout', 'idle_session_timeout', 'idle_in_transaction_session_timeout')`.execute(
    store.db,
  );
  return rows;
}

export async function restoreLimits(store: Store, former: FormerLimit[]): Promise<void> {
  const names = former.map(({ name }) => name);
  const settings = former.map(({ setting }) => setting);
  await sql`select set_config(name, setting, false)
    from unnest(${names}::text[], ${settings}::text[]) as former (name, setting)`.execute(store.db);
}
