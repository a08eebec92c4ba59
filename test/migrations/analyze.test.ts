import { expect, it } from 'vitest';
import { migrate } from '../../migrations';
import { useLedger } from '../support/ledger';

const ledger = useLedger();
const ANALYZED = ['autovacuum_analyze_scale_factor=0', 'autovacuum_analyze_threshold=20000'];

/** Storage parameters of each month. */
async function months(): Promise<string[][]> {
  const rows = await ledger().query<{ options: string[] }>(
    `select reloptions as options from pg_class where oid in (
       select inhrelid from pg_inherits where inhparent = 'escapement.firings'::regclass)`,
  );
  return rows.map(({ options }) => options);
}

it('months that are there and those that are made later are analyzed after a burst, however many rows they have', async () => {
  await ledger().query(`select escapement.ensure_partition('2030-01-01Z')`);
  // As before this migration.
  const parts = await ledger().query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'escapement.firings'::regclass`,
  );
  for (const { name } of parts) {
    await ledger().query(`alter table ${name} reset (autovacuum_analyze_scale_factor, autovacuum_analyze_threshold)`);
  }
  await ledger().query(`delete from escapement.migrations where name = '0026-analyze'`);
  await ledger().query(`update escapement.meta set value = value || '{"version": 24}' where key = 'schema'`);
  expect(await migrate({ connectionString: ledger().databaseUrl })).toEqual(['0026-analyze']);
  await ledger().query(`select escapement.ensure_partition('2031-01-01Z')`);
  const all = await months();
  expect(all.length).toBe(parts.length + 1);
  for (const options of all) {
    expect(options).toEqual(
      expect.arrayContaining([...ANALYZED, 'fillfactor=80', 'autovacuum_vacuum_scale_factor=0.02']),
    );
  }
});
