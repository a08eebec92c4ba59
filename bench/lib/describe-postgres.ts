import { Client } from 'pg';
import { median, significant } from './report/statistics';

/** Describes the Postgres settings that decide the cost of a commit, and how long a minimal commit takes. */
export async function describePostgres(databaseUrl: string): Promise<Record<string, string>> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const names = [
      'server_version',
      'fsync',
      'synchronous_commit',
      'full_page_writes',
      'shared_buffers',
      'max_wal_size',
    ];
    const { rows } = await client.query('select name, current_setting(name) as value from unnest($1::text[]) as name', [
      names,
    ]);
    const settings = Object.fromEntries(rows.map(({ name, value }) => [name, value]));
    return { ...settings, 'a commit takes': `${significant(await commitMilliseconds(client), 2)} ms` };
  } finally {
    await client.end();
  }
}

async function commitMilliseconds(client: Client): Promise<number> {
  const took: number[] = [];
  for (let commit = 0; commit < 101; commit++) {
    const begun = performance.now();
    await client.query(`select pg_logical_emit_message(true, 'bench', '')`);
    took.push(performance.now() - begun);
  }
  return median(took);
}
