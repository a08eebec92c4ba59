import type { TestLedger } from './ledger';

/** All rows of all tables of a ledger, as text. */
export async function allRows(ledger: TestLedger): Promise<string> {
  const tables = await ledger.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
     where relnamespace = 'escapement'::regnamespace and relkind = 'r'`,
  );
  const parts = tables.map(({ name }) => `select '${name} ' || to_jsonb(t)::text as row from only ${name} t`);
  const rows = await ledger.query<{ row: string }>(`${parts.join(' union all ')} order by 1`);
  return rows.map(({ row }) => row).join('\n');
}
