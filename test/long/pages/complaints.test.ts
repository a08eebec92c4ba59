import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Client as PostgresClient } from 'pg';
import { expect, inject, it, vi } from 'vitest';
import { COMPLAINTS } from '../../support/complaints';
import { PATIENTLY } from '../../support/complaints/scene';
import { uniqueName, useLedger } from '../../support/ledger';
import { useMovingCluster } from '../../support/moving/moving-cluster';
import { runCli } from '../../support/processes/child';

const PAGE = readFileSync(resolve(__dirname, '../../../docs/why.md'), 'utf8');
const ledger = useLedger();
const { clients, environmentOf } = useMovingCluster();

it.each(COMPLAINTS)('$issue: either scheduler and Escapement do what docs/why.md says of it', async (complaint) => {
  const native = (namespace: string) => {
    const client = clients.get(namespace)!;
    return complaint.native({ client, scheduleId: uniqueName(namespace), loseTimer });
  };
  const client = ledger().newClient({ now: undefined as never, namespace: 'new' });
  const trigger = runCli(['run'], environmentOf(ledger(), 'new'));
  await trigger.line(/trigger running/);
  const ours = complaint.ours({
    ...{ native: clients.get('new')!, client, scheduleId: uniqueName('ours') },
    query: (text, values) => ledger().query(text, values),
  });
  // One scheduler after the other: their timers lie in one table.
  const [theirs, our] = await Promise.all([native('old').then(async (old) => [old, await native('new')]), ours]);
  const seen = [...theirs, our];
  trigger.kill('SIGTERM');
  expect((await trigger.ended()).code).toBe(0);
  expect(seen).toEqual(rowOf(complaint.issue));
});

it('tries each issue that the page has a row for', () => {
  const rows = PAGE.split('\n').flatMap((line) => /^\| \[([\w-]+#\d+)\]/.exec(line)?.[1] ?? []);
  expect(rows).toEqual(COMPLAINTS.map(({ issue }) => issue));
});

/** What the page says of an issue: the older scheduler, the newer one, Escapement. */
function rowOf(issue: string): string[] {
  const row = PAGE.split('\n').find((line) => line.startsWith(`| [${issue}](`));
  return (row ?? '')
    .split(' | ')
    .slice(1)
    .map((cell) => cell.replace(/ \|$/, ''));
}

async function loseTimer(at: Date): Promise<void> {
  for (const database of await databasesOfServers()) {
    const postgres = new PostgresClient({ connectionString: database });
    await postgres.connect();
    try {
      const isHere = await postgres.query(`select 1 from namespaces where name = 'old'`);
      if (isHere.rows.length === 0) continue;
      await vi.waitFor(async () => {
        const { rowCount } = await postgres.query(
          'delete from timer_tasks where visibility_timestamp between $1 and $2',
          [-1_000, 1_000].map((beside) => new Date(at.getTime() + beside).toISOString().replace('Z', '')),
        );
        expect(rowCount).toBeGreaterThanOrEqual(1);
      }, PATIENTLY);
    } finally {
      await postgres.end();
    }
  }
}

async function databasesOfServers(): Promise<string[]> {
  const url = inject('databaseUrl');
  const postgres = new PostgresClient({ connectionString: url });
  await postgres.connect();
  try {
    const { rows } = await postgres.query<{ datname: string }>(
      `select datname from pg_database where datname ~ '^temporal_[0-9a-f]+$'`,
    );
    return rows.map(({ datname }) => Object.assign(new URL(url), { pathname: `/${datname}` }).toString());
  } finally {
    await postgres.end();
  }
}
