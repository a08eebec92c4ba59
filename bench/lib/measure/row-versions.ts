import type { Ledger } from '../ledger';

/**
 * Average number of row versions written per firing. Read the number only after the trigger has stopped, when all its
 * sessions have reported their writes.
 */
export async function rowVersionsAFiring(ledger: Ledger): Promise<number> {
  const [row] = await ledger.query<{ versions: number }>(
    `select sum(n_tup_ins + n_tup_upd)::float8 / sum(n_tup_ins) as versions from pg_stat_user_tables
     where relid in (select relid from pg_partition_tree('escapement.firings'))`,
  );
  return row!.versions;
}
