import { expect, it } from 'vitest';
import { openStore } from '../../store/connection';
import { noticeIncarnation } from '../../store/incarnation';
import { useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('after a copy without triggers, since they had stopped, nothing is lost from before the last check for alerts', async () => {
  const { passes } = await ledger().trigger();
  await passes.heartbeat();
  await passes.alert();
  ledger().clock.set('2026-03-01T09:00:00Z');
  await passes.alert();
  await ledger().query('delete from escapement.triggers');
  await ledger().query(`update escapement.meta set value = '"of another server"' where key = 'incarnation'`);
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  expect(await noticeIncarnation(store, new Date('2026-03-01T10:00:00Z'))).toMatchObject({
    adopted: false,
    intactUntil: new Date('2026-03-01T09:00:00Z'),
  });
});
