import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { openStore } from '../../store/connection';
import { takeOpenChains } from '../../store/firings/observe';
import { takeEndedChains } from '../../store/firings/reset';
import { takeOverLost } from '../../store/firings/take-over-lost';
import { takeWaiting } from '../../store/firings/waiting';
import { readDueTimers } from '../../store/schedules/due';
import { watchedPool } from '../support/connections/watched-pool';
import { useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:00:00Z');
const FIRINGS = 3_000;
const PAUSE = { shortest: 60_000, longest: 60_000, shareOfAge: 1 };

/**
 * Firings that completed an hour ago, with timers that moved on, while a session keeps an old snapshot open. Entries of
 * one instant are far apart.
 */
async function passBy(): Promise<void> {
  const query = (text: string) => ledger().query(text);
  await query(`select escapement.ensure_partition('2026-03-01Z')`);
  const dump = new Client({ connectionString: ledger().databaseUrl });
  await dump.connect();
  ledger().beforeClose(() => dump.end());
  await dump.query('begin transaction isolation level repeatable read, read only');
  await dump.query('select count(*) from escapement.firings');
  const at = `'2026-03-01Z'::timestamptz + n * interval '1 second'`;
  await query(`insert into escapement.schedules (schedule_id, version, created_at)
    select 's' || n, 1, '2026-03-01Z' from generate_series(1, ${FIRINGS}) n`);
  await query(`insert into escapement.timers (schedule_id, spec_format, wake_at, next_fire_at, answered_to)
    select 's' || n, 1, ${at}, ${at}, '2026-03-01Z' from generate_series(1, ${FIRINGS}) n order by md5(n::text)`);
  await query(`insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, schedule_version, workflow_id,
      claimed_at, tenant, task_queue, late, ready_at)
    select 's' || n, ${at}, 'claimed', 'schedule', 'default', 1, 's' || n, ${at}, '', 'jobs', false, ${at}
    from generate_series(1, ${FIRINGS}) n order by md5(n::text)`);
  // From before the timers moved on, as statistics usually are.
  await query('alter table escapement.timers set (autovacuum_enabled = false)');
  await query('analyze escapement.timers');
  await query(`update escapement.timers set wake_at = 'infinity'`);
  await query(
    `update escapement.firings set owner = gen_random_uuid(), first_attempted_at = ready_at, check_at = ready_at`,
  );
  await query(`update escapement.firings set state = 'linked', run_id = gen_random_uuid(), linked_at = ready_at`);
  await query(`update escapement.firings set state = 'closed', outcome = 'failed', closed_at = ready_at, owner = null`);
  await query(`update escapement.firings set check_at = null`);
}

/** Pages of the database that a statement visits. */
async function pagesOf([text, values]: [string, unknown[]]): Promise<number> {
  const { sql } = ledger();
  await sql.query('begin');
  // As where there is far more than this.
  await sql.query('set local enable_seqscan = off; set local enable_bitmapscan = off');
  const { rows } = await sql.query(`explain (analyze, buffers, format json) ${text}`, values);
  await sql.query('rollback');
  const plan = rows[0]['QUERY PLAN'][0].Plan;
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}

/** Pages that each read of a queue visits, by what it reads. */
async function pagesRead(from: Date | undefined): Promise<Record<string, number>> {
  const now = new Date(ledger().clock.now());
  const sent: [string, unknown[]][] = [];
  const pool = watchedPool(ledger(), { before: (text, values) => sent.push([text, values]) });
  const store = openStore({ pool });
  ledger().beforeClose(() => store.close());
  const none = { tenant: '', taskQueue: '' };
  const lanes = from && [{ tenant: '', taskQueue: 'jobs', late: false, from }];
  const owner = randomUUID();
  const page = { now, checkAt: now, limit: 100, owner, withoutNamespaces: [] };
  const next = { now, awaitedPause: 1_000, stalledPause: 30_000, pause: PAUSE, unlisted: [], unlistedPause: PAUSE };
  const reads: Record<string, () => Promise<unknown>> = {
    'due timers': () => readDueTimers(store, { now, ahead: { near: now }, from, without: [], aside: [] }, 100),
    'what waits': () =>
      takeWaiting(store, {
        ...{ ...page, at: now, namespace: 'default', onTimeFrom: now, capped: new Map(), without: [], lanes },
        after: { onTime: none, overdue: none, missed: none },
      }),
    'overdue checks': () =>
      takeOverLost(store, { ...page, staleBefore: new Date(0), openFrom: from }, { from, without: [] }),
    'open chains': () => takeOpenChains(store, next, 100, { from, without: [] }),
    'ended chains': () =>
      takeEndedChains(store, { ...page, checkMilliseconds: 1, watchMilliseconds: 1 }, { from, without: [] }),
  };
  const pages: Record<string, number> = {};
  for (const [name, read] of Object.entries(reads)) {
    sent.length = 0;
    await read();
    pages[name] = await pagesOf(sent.find(([text]) => /timers|firings|take_/.test(text))!);
  }
  return pages;
}

it('no read of a queue passes over what has gone through it, though somebody keeps a snapshot open', async () => {
  const { clock } = ledger();
  await passBy();
  clock.set('2026-03-01T01:30:00Z');
  const floored = await pagesRead(new Date(clock.now() - 12_000));
  // Without their lower bounds, the reads do visit them.
  const whole = await pagesRead(undefined);
  for (const name of Object.keys(whole)) {
    expect({ name, isMany: whole[name]! > FIRINGS / 2 }).toEqual({ name, isMany: true });
    expect({ name, pages: floored[name], isFew: floored[name]! < 200 }).toMatchObject({ name, isFew: true });
  }
});
