import { expect, it } from 'vitest';
import { watchedPool } from '../support/connections/watched-pool';
import { someSchedule, useLedger } from '../support/ledger';
import type { Plan } from '../support/statements/plans';

const ledger = useLedger('2026-03-01T00:30:00Z');

function nodes(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodes)];
}

it('describe of a schedule with hundreds of thousands of firings reads no more than the newest 10,000', async () => {
  const { sql, client } = ledger();
  const { scheduleId } = await client.create(someSchedule());
  for (const month of ['2025-12-01', '2026-01-01', '2026-02-01']) {
    await sql.query(`select escapement.ensure_partition('${month}T00:00Z')`);
  }
  await sql.query(`update escapement.schedules set created_at = '2025-12-01T00:00Z'`);
  await sql.query(
    `insert into escapement.firings (schedule_id, scheduled_time, state, outcome, kind, namespace, schedule_version,
      workflow_id, run_id, claimed_at, linked_at, closed_at)
    select $1, t, 'closed', 'completed', 'schedule', 'default', 1, 'w', 'r', t, t, t
    from generate_series('2025-12-08T00:00Z'::timestamptz, '2026-02-28T23:59:36Z', '24 seconds') t`,
    [scheduleId],
  );
  await sql.query('vacuum analyze escapement.firings');
  const statements = new Map<string, unknown[]>();
  const pool = watchedPool(ledger(), { before: (text, values) => statements.set(text, values) });
  const { info } = await ledger().newClient({ connectionString: undefined, pool }).getHandle(scheduleId).describe();
  expect(info.numActionsTaken).toBe(10_000);
  expect(info.countedFrom).toEqual(new Date('2026-02-26T05:20:00Z'));

  const [text, values] = [...statements].find(([statement]) => statement.includes('newest'))!;
  const { rows } = await sql.query(`explain (analyze, format json) ${text}`, values);
  for (const node of nodes(rows[0]['QUERY PLAN'][0].Plan)) {
    expect(node['Actual Rows'] * node['Actual Loops'], JSON.stringify(node['Node Type'])).toBeLessThanOrEqual(10_000);
    expect(node['Node Type'] === 'Seq Scan' && node['Relation Name']?.startsWith('firings')).toBeFalsy();
  }
});
