import { sql } from 'kysely';
import { Client } from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { migrations } from '../../migrations';
import { migrateBy } from '../../migrations/migrate';
import { buildIndex, dropIndex, type Step, step } from '../../migrations/migration';
import { DatabaseClock } from '../../trigger/clock';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger();

const addColumn = step(sql`alter table escapement.firings add column mood text`);
const addIndex = buildIndex('firings_actor', 'firings', '(actor, state)');

/** Migrate by one more migration than this program has. */
function migrateFurther(steps: Step[], onProgress: (sentence: string) => void = () => {}): Promise<string[]> {
  const record = (schema: string) => ({ ...migrations(schema), '0999-further': { oldestProgram: 1, steps } });
  return migrateBy(record, { connectionString: ledger().databaseUrl, onProgress });
}

/** A reader with an open transaction, which still sees the ledger as it was. */
async function openReader(): Promise<{ pid: number; end: () => Promise<void> }> {
  const client = new Client({ connectionString: ledger().databaseUrl, application_name: 'dashboard' });
  await client.connect();
  await client.query('begin isolation level repeatable read');
  await client.query('select count(*) from escapement.firings, escapement.schedules');
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return { pid: rows[0]!.pid, end: () => client.end() };
}

async function linked(): Promise<number> {
  const rows = await ledger().query(`select from escapement.firings where state = 'linked'`);
  return rows.length;
}

/** The index and its parts. */
function parts() {
  return ledger().query(`select x.indrelid::regclass::text as table, x.indisvalid as valid
    from pg_index x where pg_get_indexdef(x.indexrelid) like '%(actor, state)' order by 1`);
}

/** A month with rows, and one without. */
async function fillMonths(): Promise<void> {
  const { scheduleId } = await ledger().client.create(someSchedule());
  await ledger().query(`select escapement.ensure_partition(month::timestamptz)
    from unnest(array['2026-03-01T12:00:00Z', '2026-04-01T12:00:00Z']) month`);
  await ledger().query(
    `insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, schedule_version, claimed_at)
     select $1, '2026-03-01T12:00:00Z'::timestamptz + n * interval '1 hour', 'skipped', 'schedule', 'default', 1, now()
     from generate_series(1, 5) n`,
    [scheduleId],
  );
}

describe('a migration', () => {
  const timedOut = { which: 'a lock, which one of these may hold: ', until: 'the lock is free' };
  const blocked = { which: '', until: 'that transaction ends' };

  it.each<[string, { change: Step; which: string; until: string }]>([
    ['adds a column', { change: addColumn, ...timedOut }],
    ['builds an index', { change: addIndex, ...blocked }],
    ['drops an index', { change: dropIndex('schedules_paused'), ...blocked }],
  ])('that %s waits for a reader that stays, says which, and lets a trigger fire meanwhile', async (_, given) => {
    const options = someSchedule({ spec: { cron: '* * * * * *' }, policies: { overlap: 'ALLOW_ALL' } });
    await ledger().newClient({ now: undefined }).create(options);
    const trigger = await ledger().trigger({ clock: new DatabaseClock() });
    const running = trigger.run();
    const said: string[] = [];
    try {
      await vi.waitFor(async () => expect(await linked()).toBeGreaterThan(0), 60_000);
      const reader = await openReader();
      const migrating = migrateFurther([given.change], (sentence) => said.push(sentence));
      try {
        const waiting = new RegExp(
          `^Waiting for ${given.which}process ${reader.pid} \\(.*dashboard, idle in transaction.* on .*firings.*continues when ${given.until}\\.$`,
        );
        await vi.waitFor(() => expect(said).toContainEqual(expect.stringMatching(waiting)), 60_000);
        const before = await linked();
        await vi.waitFor(async () => expect(await linked()).toBeGreaterThan(before + 2), 60_000);
      } finally {
        await reader.end();
      }
      expect(await migrating).toEqual(['0999-further']);
    } finally {
      trigger.shutdown();
      await running;
    }
    expect(await ledger().query('select from escapement.gaps')).toEqual([]);
  });

  it('builds the index of a partitioned table in each month, and months to come have it', async () => {
    await fillMonths();
    await migrateFurther([addIndex]);
    await ledger().query(`select escapement.ensure_partition('2026-05-01T12:00:00Z')`);
    expect(await parts()).toEqual(
      ['firings', 'firings_202603', 'firings_202604', 'firings_202605'].map((month) => ({
        table: `escapement.${month}`,
        valid: true,
      })),
    );
  });

  it('drops what a killed build of an index has left, and builds it again', async () => {
    await fillMonths();
    // As one that is killed in the middle leaves it.
    const killed = 'create unique index concurrently firings_202603_actor on escapement.firings_202603 (state)';
    await expect(ledger().query(killed)).rejects.toThrow('could not create unique index');
    await migrateFurther([addIndex]);
    expect((await parts()).map(({ valid }) => valid)).toEqual([true, true, true]);
  });

  it('that was cut off goes on with the step that it was at', async () => {
    const mistaken = step(sql`alter table escapement.firings add column state text`);
    await expect(migrateFurther([addColumn, mistaken])).rejects.toThrow('already exists');
    // It would throw at the first step, done twice.
    await migrateFurther([addColumn, step(sql`alter table escapement.firings add column moods text`)]);
    expect(await ledger().query(`select from escapement.meta where key = 'migrating'`)).toEqual([]);
  });

  it('builds an index though other runs wait for their turn', async () => {
    await fillMonths();
    const runs = await Promise.all([1, 2, 3].map(() => migrateFurther([addIndex])));
    expect(runs.flat()).toEqual(['0999-further']);
  });
});
