import { expect, it } from 'vitest';
import { type PurgeSubject, purge } from '../../owner/purge/purge';
import { writeFiring } from '../support/alerts/alerts';
import { someSchedule, useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';

const ledger = useLedger('2026-03-01T00:30:00Z');

const run = (subject: PurgeSubject, dryRun: boolean) =>
  purge({ connectionString: ledger().databaseUrl }, subject, { actor: 'dpo', dryRun, onProgress: () => undefined });

/** What a dry run says would be erased, and what is erased then. */
async function both(subject: PurgeSubject) {
  const [dry, real] = [await run(subject, true), await run(subject, false)];
  return [dry, real].map(({ schedules, counts }) => ({ schedules, counts }));
}

it('a dry run counts what a purge erases', async () => {
  const client = ledger().newClient({ tenant: 'acme' });
  for (const scheduleId of ['one', 'two']) await client.create(someSchedule({ scheduleId }));
  await client.getHandle('one').update((previous) => ({ ...previous, spec: { cron: '30 * * * *' } }));
  // By an earlier release: a firing without the tenant, and one of a schedule that is erased.
  await writeFiring(ledger(), '2026-03-01T00:00:00Z', { schedule_id: 'one', state: 'skipped' });
  await writeFiring(ledger(), '2026-03-01T00:00:00Z', { schedule_id: 'gone', state: 'skipped', tenant: 'acme' });
  await ledger().query(`insert into escapement.api_requests (caller, key, fingerprint, created_at, status, body)
    values ('["ops","acme"]', gen_random_uuid(), 'x', now(), 201, '{"scheduleId":"one"}'),
      ('["ops",null]', gen_random_uuid(), 'x', now(), 201, '{"scheduleId":"one"}')`);
  const [dry, real] = await both({ tenant: 'acme' });
  expect(dry).toEqual(real);
  expect(real).toMatchObject({ schedules: 2, counts: { firings: 2, api_requests: 2, schedule_versions: 3 } });
});

it('a dry run counts no schedule that is erased already and has left rows', async () => {
  await writeFiring(ledger(), '2026-03-01T00:00:00Z', { schedule_id: 'gone', state: 'skipped' });
  const [dry, real] = await both({ scheduleId: 'gone' });
  expect(dry).toEqual(real);
  expect(real).toMatchObject({ schedules: 0, counts: { firings: 1 } });
});

it('a dry run says if the purge would be refused, because of what runs', async () => {
  await ledger().client.create(someSchedule({ scheduleId: 'one' }));
  const runs = { state: 'linked', workflow_id: 'w', run_id: 'r', linked_at: '2026-03-01T00:00:00Z' };
  await writeFiring(ledger(), '2026-03-01T00:00:00Z', { ...runs, schedule_id: 'one' });
  const say = (...flags: string[]) =>
    runCommand(['purge', '--schedule', 'one', ...flags], { DATABASE_URL: ledger().databaseUrl });
  const refused = await say('--yes');
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('such as w in default; wait') });
  const why = refused.stderr.replace('escapement: ', '');
  expect(await say('--dry-run')).toMatchObject({ code: 0, stderr: `--yes alone is refused: ${why}` });
  expect(await say('--dry-run', '--force')).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^1 workflow runs .* stays in Temporal: w in default$/),
  });
});
