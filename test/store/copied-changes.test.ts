import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { openStore } from '../../store/connection';
import { readChangedAlerts, readChangedFirings, readSnapshot } from '../../store/reads/changes';
import { useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('a row that was copied from another server is no change, when a transaction here gets the number of its last one', async () => {
  const query: ReturnType<typeof ledger>['query'] = (text, values) => ledger().query(text, values);
  await query(`select escapement.ensure_partition('2026-03-01Z'::timestamptz)`);
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const write = async (id: string, changed: string) => {
    await query(
      `insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, schedule_version, claimed_at, changed)
       values ($1, '2026-03-01Z', 'buffered', 'schedule', 'default', 1, now(), ${changed})`,
      [id],
    );
    await query(
      `insert into escapement.alerts (alert_id, condition, subject, tenant, schedule_id, opened_at, last_seen_at, looked_at, count, text, changed)
       values ($1, 'late', $2, '', $2, now(), now(), now(), 1, 'is late', ${changed})`,
      [randomUUID(), id],
    );
  };
  const { snapshot: from } = await readSnapshot(store);
  await write('copied', `(pg_current_xact_id()::text::bigint + 20)::text::xid8`);
  await write('own', 'pg_current_xact_id()');
  // A write that readers do not follow leaves the number, and has a later one itself.
  await query(`update escapement.firings set last_error = 'refused' where schedule_id = 'own'`);
  for (let number = 0; number < 40; number++) await query('select pg_current_xact_id()');
  const range = { from, to: (await readSnapshot(store)).snapshot };
  expect(await readChangedFirings(store, range, undefined, 10)).toMatchObject([{ scheduleId: 'own' }]);
  expect(await readChangedAlerts(store, range, undefined, 10)).toMatchObject([{ scheduleId: 'own' }]);
});
