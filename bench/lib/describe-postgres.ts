import { Client } from 'pg';
import { median, significant } from './report/statistics';

/**
 * Describes the Postgres settings that decide the cost of a commit, and how long a minimal commit and a count of a
 * million rows take. The speed of a virtual machine can change from day to day, and these two show it.
 */
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
    const commit = await milliseconds(client, 101, `select pg_logical_emit_message(true, 'bench', '')`);
    const count = await milliseconds(client, 5, 'select count(*) from generate_series(1, 1000000)');
    return {
      ...settings,
      'a commit takes': `${significant(commit, 2)} ms`,
      'a count of a million rows takes': `${significant(count, 2)} ms`,
    };
  } finally {
    await client.end();
  }
}

/** The median time that a statement takes. */
async function milliseconds(client: Client, repeats: number, statement: string): Promise<number> {
  const took: number[] = [];
  for (let repeat = 0; repeat < repeats; repeat++) {
    const begun = performance.now();
    await client.query(statement);
    took.push(performance.now() - begun);
  }
  return median(took);
}
