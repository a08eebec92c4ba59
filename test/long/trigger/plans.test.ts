import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { FiringKey } from '../../../core/firing';
import { openStore } from '../../../store/connection';
import { watchedPool } from '../../support/connections/watched-pool';
import { fill, refreshStatistics } from '../../support/dashboard/filled-ledger';
import { someSchedule, useLedger } from '../../support/ledger';
import { scannedWhole } from '../../support/statements/plans';
import { sendRareStatements } from '../../support/statements/rare-statements';
import { collectingPool, storeFunctionsOfTrigger } from '../../support/statements/store-statements';
import { useNamespace } from '../../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');
// What a failover has lost is looked for in all that a namespace has: of `default` that is whatever other tests started.
const namespace = useNamespace();
/** Tables with a handful of rows, which an index would only slow down. */
const SMALL = [
  'triggers',
  'meta',
  'alerts',
  'alert_targets',
  'alert_messages',
  'alert_silences',
  'api_requests',
  'api_tokens',
  'api_audit',
  // A row a month and tenant, and what has changed since the last minute.
  'firing_counts',
];
/** As large as the schema, not as the ledger. */
const isCatalogue = (relation: string) => relation.startsWith('pg_');
const SCHEDULES = 100_000;

/** Statements that read a whole table on purpose, by the function that sends them. */
const MAY_READ_ALL: Record<string, string[]> = {
  // Once a day, and after a failover.
  readNamespaces: ['schedule_versions', 'schedules'],
  readLinkedNamespaces: ['schedule_versions'],
  // By the clock of the database all of them are due here.
  readGauges: ['timers'],
  // Those that are held, and those that ended within a day: once a minute.
  deleteEndedLeases: ['leases'],
};
/** What has no plan. */
const WITHOUT_PLAN =
  /^\s*(?:do|begin|commit|rollback|savepoint|release|start transaction|set|show|lock|listen|unlisten|notify)\b/i;

it('every statement of every pass finds its rows by an index among a million firings and 100,000 schedules, with stale statistics and with fresh ones', async () => {
  const { clock, sql } = ledger();
  await fill(ledger(), SCHEDULES, 'stale', namespace());
  const { pool, sent } = collectingPool(ledger());
  const trigger = await ledger().trigger({ pool, limits: { batchSize: 50 } });
  for (let minute = 0; minute < 2; minute++) {
    clock.set(`2026-03-01T01:0${minute}:30Z`);
    const passes = Object.keys(trigger.passes) as (keyof typeof trigger.passes)[];
    for (const pass of passes) await trigger.passes[pass]();
  }
  const store = openStore({ pool });
  ledger().beforeClose(() => store.close());
  const keys = (state: string) =>
    ledger().query<FiringKey>(`select schedule_id as "scheduleId", scheduled_time as "scheduledTime"
      from escapement.firings where state = '${state}' order by scheduled_time limit 2`);
  const [claimed, linked, [closed]] = [await keys('claimed'), await keys('linked'), await keys('closed')];
  const now = new Date(clock.now());
  await sendRareStatements(store, { now, owner: randomUUID(), claimed, linked, closed: closed! });

  // A function of the store that this test does not call has a plan that nobody has checked.
  const calledBy = new Set([...sent.values()].flatMap(({ by }) => by));
  const unseen = [...storeFunctionsOfTrigger()].filter((name) => !calledBy.has(name));
  // A month ahead, of which there is nothing to read.
  const empty = (
    await ledger().query<{ name: string }>(`select relname as name from pg_class
      where relnamespace = 'escapement'::regnamespace and relkind = 'r' and pg_relation_size(oid) = 0`)
  ).map(({ name }) => name);
  const problemsWith = async (statistics: string) => {
    const problems: string[] = [];
    for (const { text, values, by } of sent.values()) {
      if (WITHOUT_PLAN.test(text)) continue;
      await sql.query('begin');
      const { rows } = await sql.query(`explain (format json) ${text}`, values);
      await sql.query('rollback');
      const whole = scannedWhole(rows[0]['QUERY PLAN'][0].Plan);
      const allowed = [...SMALL, ...empty, ...by.flatMap((name) => MAY_READ_ALL[name] ?? [])];
      const large = whole.filter((relation) => !allowed.includes(relation) && !isCatalogue(relation));
      if (large.length > 0) problems.push(`${by.join()} reads all of ${large.join()} (${statistics}): ${text}`);
    }
    return problems;
  };
  const problems = await problemsWith('stale statistics');
  await refreshStatistics(ledger());
  problems.push(...(await problemsWith('fresh statistics')));
  expect({ unseen, problems }).toEqual({ unseen: [], problems: [] });
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
