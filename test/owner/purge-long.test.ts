import { expect, it } from 'vitest';
import { purge } from '../../owner/purge/purge';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('a purge of a tenant with many schedules and many stored answers takes as long as it needs', async () => {
  const client = ledger().newClient({ tenant: 'acme' });
  await client.apply(
    Array.from({ length: 20 }, (_, at) => someSchedule({ scheduleId: `acme-${at}` })),
    { source: 'acme', revision: 1 },
  );
  await ledger().query(
    `insert into escapement.api_requests (caller, key, fingerprint, created_at, status, body)
      select 'other', n::text, 'x', now(), 201, repeat('x', 100000) from generate_series(1, 500) n`,
  );
  await ledger().query(
    `insert into escapement.api_requests (caller, key, fingerprint, created_at, status, body)
      values ('acme', 'own', 'x', now(), 201, '{"scheduleId":"acme-7"}')`,
  );
  // A fifth of a second is far too short for one pass over all answers.
  const postgres = { connectionString: ledger().databaseUrl, queryTimeoutMilliseconds: 200 };
  const options = { actor: 'dpo', onProgress: () => undefined };
  const planned = await purge(postgres, { tenant: 'acme' }, { ...options, dryRun: true });
  expect(planned).toMatchObject({ schedules: 20, counts: { api_requests: 1 } });
  const erased = await purge(postgres, { tenant: 'acme' }, options);
  expect(erased).toMatchObject({ schedules: 20, counts: { api_requests: 1 } });
  expect(await ledger().query(`select key, headers from escapement.api_requests where body = 'null'`)).toEqual([
    { key: 'own', headers: {} },
  ]);
});

it('the record of a purge says when it ended, not when it began', async () => {
  await ledger().client.create(someSchedule({ scheduleId: 'nightly' }));
  const now = () => new Date(ledger().clock.now());
  const onProgress = () => void ledger().clock.advance(60_000);
  await purge({ connectionString: ledger().databaseUrl }, { scheduleId: 'nightly' }, { actor: 'dpo', now, onProgress });
  expect(await ledger().query('select began_at, ended_at from escapement.purges')).toEqual([
    { began_at: new Date('2026-03-01T00:30:00Z'), ended_at: new Date('2026-03-01T00:31:00Z') },
  ]);
});

it('what a schedule hands over ahead during a long purge of its tenant is not fired again', async () => {
  const { clock } = ledger();
  const client = ledger().newClient({ tenant: 'acme' });
  await client.create(someSchedule({ scheduleId: 'acme-1' }));
  await ledger().query(`
    insert into escapement.moves (schedule_id, namespace, state, fingerprint, version, stays_paused, actor, imported_at, updated_at)
      values ('acme-1', 'default', 'cut_over', '', 1, false, 'test', now(), now());
    update escapement.timers set answered_to = '2026-03-01T01:00:00Z'`);
  // Twenty-five minutes have passed when its turn comes.
  const begin = ['2026-03-01T00:30:00Z'];
  const now = () => new Date(begin.shift() ?? '2026-03-01T00:55:00Z');
  const postgres = { connectionString: ledger().databaseUrl };
  await purge(postgres, { tenant: 'acme' }, { actor: 'dpo', now, onProgress: () => undefined });
  clock.set('2026-03-01T00:55:00Z');
  await client.create(someSchedule({ scheduleId: 'acme-1' }));
  clock.set('2026-03-01T01:00:10Z');
  const trigger = await ledger().trigger();
  await trigger.passes.claim();
  expect(await ledger().firings('acme-1')).toEqual([]);
});
