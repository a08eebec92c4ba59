import type { Ledger } from './ledger';

/**
 * Versions of rows that were written of a ledger's firings, on average. Only once its trigger has stopped: a session tells
 * what it wrote when it ends.
 */
export async function rowVersionsAFiring(ledger: Ledger): Promise<number> {
  const [row] = await ledger.query<{ versions: number }>(
    `select sum(n_tup_ins + n_tup_upd)::float8 / sum(n_tup_ins) as versions from pg_stat_user_tables
     where relid in (select relid from pg_partition_tree('escapement.firings'))`,
  );
  return row!.versions;
}
