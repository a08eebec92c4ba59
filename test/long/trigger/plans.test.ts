import { expect, it } from 'vitest';
import { watchedPool } from '../../support/connections/watched-pool';
import { fill, refreshStatistics } from '../../support/dashboard/filled-ledger';
import { someSchedule, useLedger } from '../../support/ledger';
import { problemsOf, sendStatementsOfPasses } from '../../support/statements/pass-statements';
import { scannedWhole } from '../../support/statements/plans';
import { useNamespace } from '../../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');
// What a failover has lost is looked for in all that a namespace has: of `default` that is whatever other tests started.
const namespace = useNamespace();
const SCHEDULES = 100_000;

it('every statement of every pass finds its rows by an index among a million firings and 100,000 schedules, with stale statistics and with fresh ones', async () => {
  await fill(ledger(), SCHEDULES, 'stale', namespace());
  const statements = await sendStatementsOfPasses(ledger());
  const stale = await problemsOf(ledger(), statements);
  await refreshStatistics(ledger());
  const fresh = await problemsOf(ledger(), statements);
  expect({ stale, fresh }).toEqual({ stale: [], fresh: [] });
});

it('a list filter on a search attribute finds its schedules by an index among 100,000', async () => {
  const { sql } = ledger();
  const query = (text: string) => ledger().query(text);
  await ledger().client.create(someSchedule({ scheduleId: 'seed' }));
  await query(`insert into escapement.schedules (schedule_id, version, created_at, search_attributes)
    select 's' || n, 1, '2025-11-01Z', jsonb_build_object(
        'Team', jsonb_build_object('type', 'Keyword', 'value', jsonb_build_array('team-' || n % 500)),
        'Level', jsonb_build_object('type', 'Int', 'value', n % 500))
      || case when n % 1000 = 0 then '{"Rare": {"type": "Keyword", "value": ["xyz"]}}' else '{}' end::jsonb
    from generate_series(1, ${SCHEDULES}) n`);
  await query(`insert into escapement.schedule_versions (schedule_id, version, namespace, spec, action, policies, created_at)
    select 's' || n, 1, v.namespace, v.spec, v.action, v.policies, '2025-11-01Z'
    from escapement.schedule_versions v, generate_series(1, ${SCHEDULES}) n where v.schedule_id = 'seed'`);
  await query(`insert into escapement.timers (schedule_id, spec_format, wake_at, next_fire_at, answered_to)
    select 's' || n, 1, '2026-03-01T01:00Z', '2026-03-01T01:00Z', '2026-03-01T00:29Z' from generate_series(1, ${SCHEDULES}) n`);
  for (const table of ['schedules', 'schedule_versions', 'timers']) await query(`vacuum analyze escapement.${table}`);

  const statements = new Map<string, unknown[]>();
  const pool = watchedPool(ledger(), { before: (text, values) => statements.set(text, values) });
  const client = ledger().newClient({ connectionString: undefined as never, pool });
  const filters: [string, number][] = [
    [`Team = 'team-7'`, 200],
    [`Team IN ('team-7', 'team-8') AND paused = false`, 400],
    ['Level = 7', 200],
    [`Rare STARTS_WITH 'x'`, 100],
  ];
  for (const [filter, count] of filters) {
    expect((await client.listPage({ query: filter, pageSize: 1_000 })).schedules, filter).toHaveLength(count);
  }
  const asked = [...statements].filter(([text]) => text.includes('search_attributes'));
  expect(asked.length).toBeGreaterThan(2 * filters.length);
  for (const [text, values] of asked) {
    const { rows } = await sql.query(`explain (format json) ${text}`, values);
    expect(scannedWhole(rows[0]['QUERY PLAN'][0].Plan), text).toEqual([]);
  }
});
