import { expect, it } from 'vitest';
import { migrate } from '../../migrations';
import { useLedger } from '../support/ledger';

const ledger = useLedger();

it.each(['ensure_partition(timestamptz, boolean)', 'count_firings(timestamptz, timestamptz)'])(
  'a ledger that exists gets the %s that locks the table firings alone',
  async (signature) => {
    const text = async () => {
      const [row] = await ledger().query<{ text: string }>(
        `select pg_get_functiondef('escapement.${signature}'::regprocedure) as text`,
      );
      return row!.text;
    };
    const after = await text();
    expect(after).toContain('lock table only firings');
    await ledger().query(after.replace('lock table only firings', 'lock table firings'));
    await ledger().query(`delete from escapement.migrations where name = '0066-only-firings'`);
    await ledger().query(`update escapement.meta set value = value || '{"version": 65}' where key = 'schema'`);
    expect(await migrate({ connectionString: ledger().databaseUrl })).toEqual(['0066-only-firings']);
    expect(await text()).toBe(after);
  },
);
