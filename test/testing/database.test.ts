import { Client } from 'pg';
import { expect, inject, it } from 'vitest';
import { createTestDatabase } from '../../testing';

async function ask(databaseUrl: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  return client
    .query(text)
    .then((result) => result.rows)
    .finally(() => client.end());
}

it('createTestDatabase makes migrated databases of their own side by side, each an installation of its own', async () => {
  const options = { databaseUrl: inject('databaseUrl'), timezone: 'Pacific/Apia' };
  const databases = await Promise.all([1, 2, 3, 4].map(() => createTestDatabase(options)));
  const installations = [];
  for (const { databaseUrl } of databases) {
    const [row] = await ask(
      databaseUrl,
      `select value as installation, current_setting('TimeZone') as zone, (select count(*)::int from escapement.schedules) as schedules
       from escapement.meta where key = 'installation'`,
    );
    expect(row).toMatchObject({ zone: 'Pacific/Apia', schedules: 0 });
    installations.push(row!.installation);
  }
  expect(new Set(installations).size).toBe(4);

  for (const database of databases) await database.drop();
  const names = databases.map(({ databaseUrl }) => `'${new URL(databaseUrl).pathname.slice(1)}'`);
  expect(await ask(options.databaseUrl, `select from pg_database where datname in (${names.join()})`)).toEqual([]);
});
