import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { SCHEMA_VERSION } from '../../../migrations';
import { openStore } from '../../../store/connection';
import { signOff } from '../../../store/triggers';
import { useLedger } from '../../support/ledger';

const ledger = useLedger();

it('of triggers that sign off at once, one finds no other that would take what waits', async () => {
  const { databaseUrl } = ledger();
  const ids = [randomUUID(), randomUUID()];
  await ledger().query(
    `insert into escapement.triggers (id, host, version, heartbeat_at, schema_version)
     select id, 'h', '1', '2026-03-01Z', $2 from unnest($1::uuid[]) id`,
    [ids, SCHEMA_VERSION],
  );
  const stores = ids.map(() => openStore({ connectionString: databaseUrl }));
  ledger().beforeClose(async () => void (await Promise.all(stores.map((store) => store.close()))));
  // Both begin to delete their rows before one of them can end.
  const holder = new Client({ connectionString: databaseUrl });
  await holder.connect();
  ledger().beforeClose(() => holder.end());
  await holder.query('begin');
  await holder.query('select from escapement.triggers for update');
  const found = Promise.all(ids.map((id, index) => signOff(stores[index]!, id, new Date('2026-03-01T00:00:00Z'))));
  const blocked = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(() => ledger().query(blocked)).toHaveLength(2);
  await holder.query('rollback');
  expect(await found).toContain(false);
});
