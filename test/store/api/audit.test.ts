import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { beginAudit, endAudit, readAudit } from '../../../store/api/audit';
import { openStore } from '../../../store/connection';
import { useLedger } from '../../support/ledger';

const ledger = useLedger();

it('an audit row waits for no disk, and the change behind it on the same connection does', async () => {
  // Statements by a trigger, since the setting is gone once its statement has ended.
  await ledger().query(`
    create table commits (setting text not null);
    create function note_commit() returns trigger language plpgsql as $$
      begin insert into public.commits values (current_setting('synchronous_commit')); return null; end $$;
    create trigger noted after insert or update on escapement.api_audit execute function note_commit();
    create trigger noted after update on escapement.meta execute function note_commit();`);
  // The servers of the tests wait for no disk at all.
  await ledger().query(
    `alter database ${new URL(ledger().databaseUrl).pathname.slice(1)} set synchronous_commit to on`,
  );
  const store = openStore({ connectionString: ledger().databaseUrl, connectionsAtMost: 1 });
  ledger().beforeClose(() => store.close());
  const entry = { tenant: null, actor: 'ann', token: null, address: '127.0.0.1', operation: 'pause', target: '/v1' };
  const auditId = await beginAudit(store, entry);
  await sql`update escapement.meta set value = value where key = 'schema'`.execute(store.db);
  await endAudit(store, auditId, 200);
  const commits = await ledger().query<{ setting: string }>('select setting from commits');
  expect(commits.map(({ setting }) => setting)).toEqual(['off', 'on', 'off']);
  expect(await readAudit(store, { tenant: undefined, before: undefined, size: 10 })).toMatchObject([
    { auditId, ...entry, status: 200 },
  ]);
});
