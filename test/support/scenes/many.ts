import type { TestLedger } from '../ledger';
import { someSchedule } from '../ledger';

/** How many schedules {@link fillSchedules} makes. */
export const SCHEDULES = 100_000;

/**
 * A hundred thousand schedules named `s1` to `s100000`, ordered by their next fire times from `next` on. A thousandth
 * belongs to the tenant `small`, and half of the others to `big`. A thousandth is on the task queue `rare`, from source
 * `rare`, and a thousandth is paused.
 */
export async function fillSchedules(ledger: TestLedger, next = '2026-03-01T01:00Z'): Promise<void> {
  const query = (text: string) => ledger.query(text);
  await ledger.client.create(someSchedule({ scheduleId: 'seed' }));
  await query(`insert into escapement.schedules (schedule_id, version, tenant, source, paused, note, created_at)
    select 's' || n, 1, case when n % 1000 = 1 then 'small' when n % 2 = 0 then 'big' else '' end,
      case when n % 1000 = 2 then 'rare' end, n % 1000 = 3, case when n % 1000 = 4 then 'Ask the night shift' end, '2025-11-01Z'
    from generate_series(1, ${SCHEDULES}) n`);
  await query(`insert into escapement.schedule_versions (schedule_id, version, namespace, spec, action, policies, created_at)
    select 's' || n, 1, v.namespace, v.spec,
      case when n % 1000 = 2 then v.action || '{"taskQueue": "rare", "workflowType": "rare"}' else v.action end,
      v.policies, '2025-11-01Z'
    from escapement.schedule_versions v, generate_series(1, ${SCHEDULES}) n where v.schedule_id = 'seed'`);
  await query(`insert into escapement.timers (schedule_id, spec_format, wake_at, next_fire_at, answered_to)
    select 's' || n, 1, case when n % 1000 = 3 then 'infinity' else '${next}'::timestamptz + n * interval '1 second' end,
      case when n % 1000 = 3 then null else '${next}'::timestamptz + n * interval '1 second' end, '2026-03-01T00:29Z'
    from generate_series(1, ${SCHEDULES}) n`);
  for (const table of ['schedules', 'schedule_versions', 'timers']) await query(`vacuum analyze escapement.${table}`);
}

/**
 * `each` firings of every schedule over three months, nearly all of them completed. A thousandth each failed, is of
 * kind `backfill`, was skipped or abandoned. Of the last firings, a hundredth each is claimed or linked.
 */
export async function fillFirings(ledger: TestLedger, each: number): Promise<void> {
  for (const month of ['2025-12-01', '2026-01-01', '2026-02-01', '2026-03-01']) {
    await ledger.query(`select escapement.ensure_partition('${month}T00:00Z')`);
  }
  await ledger.query(`insert into escapement.firings (schedule_id, scheduled_time, state, outcome, kind, namespace, schedule_version,
      workflow_id, run_id, check_at, claimed_at, linked_at, closed_at)
    select 's' || n, t, state, case when state = 'closed' then case when n % 1000 = 5 then 'failed' else 'completed' end end,
      case when n % 1000 = 6 then 'backfill' else 'schedule' end, 'default', 1, 's' || n || '-' || k,
      gen_random_uuid()::text, case when state in ('linked', 'claimed') then t end, t, t,
      case when state = 'closed' then t end
    from generate_series(1, ${each}) k, generate_series(1, ${SCHEDULES}) n,
      lateral (select '2025-12-01Z'::timestamptz + k * interval '90 days' / ${each} + n % 3600 * interval '1 second' as t) x,
      lateral (select case when k = ${each} and n % 100 = 0 then 'linked' when k = ${each} and n % 100 = 1 then 'claimed'
        when n % 1000 = 7 then 'abandoned' when n % 1000 = 8 then 'skipped' else 'closed' end as state) y`);
  await ledger.query('vacuum analyze escapement.firings');
}

/** Number of blocks in memory and on disk that a statement reads. Its changes are rolled back. */
export async function blocksOf(ledger: TestLedger, text: string, values: unknown[]): Promise<number> {
  await ledger.sql.query('begin');
  try {
    const { rows } = await ledger.sql.query(`explain (analyze, buffers, format json) ${text}`, values);
    const { 'Shared Hit Blocks': hit, 'Shared Read Blocks': read } = rows[0]['QUERY PLAN'][0].Plan;
    return hit + read;
  } finally {
    await ledger.sql.query('rollback');
  }
}
