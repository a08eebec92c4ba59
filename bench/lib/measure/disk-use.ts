import type { Ledger } from '../ledger';

/** Bytes of all firings on disk, with their indexes. */
export async function bytesOfFirings(ledger: Ledger): Promise<number> {
  const [row] = await ledger.query<{ bytes: number }>(
    `select sum(pg_total_relation_size(relid))::float8 as bytes from pg_partition_tree('escapement.firings')`,
  );
  return row!.bytes;
}

/** The server's position in its WAL, in bytes. */
export async function walPosition(ledger: Ledger): Promise<number> {
  const [row] = await ledger.query<{ bytes: number }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`,
  );
  return row!.bytes;
}
