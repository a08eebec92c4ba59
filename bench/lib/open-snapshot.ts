import { Client } from 'pg';

/** Holds a snapshot and the weakest lock on every table of the schema, as pg_dump does, until the client is ended. */
export async function openSnapshot(databaseUrl: string): Promise<Client> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('begin transaction isolation level repeatable read, read only');
  const { rows } = await client.query<{ table: string }>(
    `select format('%I.%I', schemaname, tablename) as table from pg_tables where schemaname = 'escapement'`,
  );
  await client.query(`lock table ${rows.map(({ table }) => table).join(', ')} in access share mode`);
  return client;
}
