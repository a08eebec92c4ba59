import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/folder';
import { someSchedule, useLedger } from '../support/ledger';
import { wordsOf } from '../support/pages/page-commands';
import { runCommand } from '../support/processes/command';
import { S3_KEYS, S3Server } from '../support/servers/s3-server';

/** The pages about silences and freezes: each command is run as it is, in order. */

const ledger = useLedger(new Date().toISOString());
const pageOf = (name: string) => readFileSync(resolve(__dirname, `../../docs/${name}`), 'utf8');

/** The commands of a page's shell blocks, without their comments. */
function commandsOf(page: string): string[] {
  const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!);
  return blocks.flatMap((block) => block.split('\n')).flatMap((line) => line.replace(/\s+#.*$/, '') || []);
}

async function run(line: string, env: Record<string, string> = {}): Promise<string> {
  const [, ...args] = wordsOf(line, {});
  const { code, stdout, stderr } = await runCommand(args, { DATABASE_URL: ledger().databaseUrl, ...env });
  expect([line, code, stderr]).toEqual([line, 0, '']);
  return stdout;
}

it('planned silence', async () => {
  const { client } = ledger();
  await client.create(someSchedule({ scheduleId: 'nightly' }));
  await client.apply([someSchedule({ scheduleId: 'invoices' })], { source: 'billing', revision: 1 });
  const lines = commandsOf(pageOf('silence.md'));
  expect(lines).toHaveLength(9);
  const said: string[] = [];
  // The December of the page must be in the future, whenever this test runs.
  const year = new Date().getUTCFullYear() + 1;
  for (const line of lines) {
    const coming = line.replaceAll('2026-', `${year}-`);
    const [freeze] = / (show|end) ID$/.test(line) ? await client.freezes.list() : [];
    said.push(await run(coming.replace(/ID$/, freeze?.freezeId ?? 'ID')));
  }
  const [until, , planned, frozen, listed, shown, ended, , owned] = said;
  expect(until).toMatch(/^Paused 'nightly' until /);
  expect(planned).toMatch(/this would freeze 1 schedule and hold back \d+ occurrences/);
  expect(frozen).toMatch(/of source 'billing' holds 1 schedule from/);
  for (const one of [listed, shown]) expect(one).toContain('no releases');
  expect(ended).toContain("of source 'billing' is over.");
  expect(owned).toContain('invoices');
});

it('the archive', async () => {
  await ledger().client.create(someSchedule({ scheduleId: 'nightly-report' }));
  await ledger().query(`select escapement.ensure_partition('2026-01-01Z'::timestamptz);
    insert into escapement.firings (schedule_id, scheduled_time, state, outcome, kind, namespace, schedule_version, claimed_at, closed_at)
      values ('nightly-report', '2026-01-05Z', 'closed', 'completed', 'schedule', 'default', 1, '2026-01-05Z', '2026-01-05Z');
    select escapement.retire_partition('2026-01-01Z'::timestamptz)`);
  const folder = await temporaryFolder();
  const store = new S3Server();
  const env = {
    AWS_ACCESS_KEY_ID: S3_KEYS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: S3_KEYS.secretAccessKey,
    AWS_ENDPOINT_URL: await store.listen(),
  };
  onTestFinished(() => store.close());
  const lines = commandsOf(pageOf('archive.md'));
  expect(lines).toHaveLength(8);
  const said: string[] = [];
  for (const line of lines) said.push(await run(line.replace('/mnt/archive', folder), env));
  const [written, dropped, listed, shown, restored, bucket] = said;
  expect(written).toMatch(/^2026-01: 1 firing, .*; written and read back\.$/);
  expect(dropped).toMatch(/; was there, and was read back, dropped\.$/);
  expect(listed).toContain('2026-01');
  expect(shown).toBe('2026-01-05T00:00:00+00:00 nightly-report schedule closed completed');
  expect(restored).toMatch(/^2026-01 is back until .*; written: 1 firing, 0 gaps, 0 letters\.$/);
  expect(bucket).toBe('No month is retired.');
});

it('erasing', async () => {
  await ledger().client.create(someSchedule({ scheduleId: 'nightly-report' }));
  await ledger()
    .newClient({ tenant: 'acme' })
    .create(someSchedule({ scheduleId: 'of-acme' }));
  const page = pageOf('erasing.md');
  const lines = commandsOf(page);
  expect(lines).toHaveLength(3);
  for (const line of lines) await run(line);
  expect((await ledger().client.listPage()).schedules).toEqual([]);
  const [, lookUp] = /```sql\n([\s\S]*?)```/.exec(page)!;
  expect(await ledger().query(lookUp!)).toMatchObject([{ kind: 'tenant', actor: expect.any(String) }]);
});
