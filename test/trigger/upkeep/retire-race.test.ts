import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openStore, storeOn } from '../../../store/connection';
import { retireMonth } from '../../../store/firings/retire-month';
import { useMonths } from './months';

const { ledger, months, insertFiring } = useMonths();

it('a month that another trigger retires meanwhile is no error', async () => {
  await insertFiring('one', '2025-10-03T00:00:00Z', 'claimed');
  const month = new Date('2025-10-01T00:00:00Z');
  const [store, other] = [1, 2].map(() => openStore({ connectionString: ledger().databaseUrl }));
  try {
    await store!.db.connection().execute(async (connection) => {
      // The function is compiled now, so later it locks nothing that would tell the session of the renamed table.
      expect(await retireMonth(storeOn(connection, store!.schema), month)).toBe('open');
      await ledger().query(`update escapement.firings set state = 'skipped'`);
      await connection.transaction().execute(async (transaction) => {
        await sql`select 1`.execute(transaction);
        expect(await retireMonth(other!, month)).toBe('retired');
        expect(await retireMonth(storeOn(transaction, store!.schema), month)).toBe('open');
      });
    });
    expect((await months()).archived).toEqual(['archived_firings_202510']);
  } finally {
    await Promise.all([store!.close(), other!.close()]);
  }
});
