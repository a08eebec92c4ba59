import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { openStore } from '../../store/connection';
import { closeFirings } from '../../store/firings/close';
import { linkFirings } from '../../store/firings/link';
import { announceAgain } from '../../store/firings/start';
import { watchedPool } from '../support/connections/watched-pool';
import { fill } from '../support/dashboard/filled-ledger';
import { loseClaims } from '../support/failures/lost-claims';
import { someSchedule, useLedger } from '../support/ledger';
import { problemsOf, sendStatementsOfPasses } from '../support/statements/pass-statements';
import { mostRead, type Plan, scannedWhole } from '../support/statements/plans';
import { useNamespace } from '../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');
const namespace = useNamespace();

it('every statement of every pass has an index that finds its rows', async () => {
  await fill(ledger(), 200, 'fresh', namespace());
  const statements = await sendStatementsOfPasses(ledger());
  // Tables as small as these would be read whole, though there is an index.
  await ledger().query('set enable_seqscan = off');
  expect(await problemsOf(ledger(), statements)).toEqual([]);
});

it('the pace of redrives is counted without a read of all letters', async () => {
  await fill(ledger(), 5_000, 'fresh', namespace());
  const statements = await sendStatementsOfPasses(ledger());
  const { text, values } = statements.find((sent) => sent.text.includes('counted as materialized'))!;
  await ledger().query('begin');
  const [row] = await ledger().query(`explain (analyze, format json) ${text}`, values);
  await ledger().query('rollback');
  const { Plan: plan } = row!['QUERY PLAN'][0];
  expect(scannedWhole(plan).filter((table) => table.endsWith('letters'))).toEqual([]);
  for (const table of ['letters', 'dead_letters']) expect(mostRead(plan, table), table).toBeLessThan(1_000);
});

it('a page of firings costs no more than its rows, however much has piled up since the statistics were made', async () => {
  const { client, clock, sql } = ledger();
  const { scheduleId } = await client.create(someSchedule({ policies: { catchupWindow: '1 year' } }));
  await ledger().query(`select escapement.ensure_partition('2026-02-01Z')`);
  await ledger().query(`insert into escapement.firings (schedule_id, scheduled_time, state, outcome, kind, namespace,
      schedule_version, workflow_id, run_id, claimed_at, linked_at, closed_at)
    select 'old' || n, '2026-02-01Z', 'closed', 'completed', 'schedule', 'default', 1, 'old' || n, gen_random_uuid()::text,
      '2026-02-01Z', '2026-02-01Z', '2026-02-01Z' from generate_series(1, 150000) n`);
  await ledger().query('vacuum analyze escapement.firings');
  await ledger().query('alter table escapement.firings_202602 set (autovacuum_enabled = false)');
  await loseClaims(ledger(), scheduleId, 3_000);

  const statements: [string, unknown[]][] = [];
  const pool = watchedPool(ledger(), { before: (text, values) => statements.push([text, values]) });
  const { passes } = await ledger().trigger({ pool, limits: { batchSize: 300 } });
  await passes.reconcile();
  await passes.dispatch();
  clock.advance(20_000);
  await passes.heartbeat();
  await passes.observe();
  const store = openStore({ pool });
  ledger().beforeClose(() => store.close());
  const now = new Date(clock.now());
  const end = {
    epoch: 0,
    outcome: 'completed',
    closedAt: now,
    runId: 'run',
    endedRunId: 'run',
    failedStep: undefined,
  } as const;
  const open = (await ledger().firings(scheduleId)).slice(-300);
  const ended = open.map(({ scheduledTime }) => ({ ...end, scheduleId, scheduledTime }));
  await announceAgain(store, ended, { owner: randomUUID(), now, checkAt: now, at: now });
  expect((await closeFirings(store, ended, { now, resetCheckAt: now })).closed).toHaveLength(300);
  const written = statements.filter(([text]) => text.includes('update "escapement"."firings"'));
  const kinds = ['taken as', 'start_attempted_at = greatest', 'linked_at =', 'awaited as', "state = 'closed'"];
  for (const kind of kinds) expect(written.filter(([text]) => text.includes(kind))).not.toEqual([]);
  for (const [text, values] of written) {
    await sql.query('begin');
    const { rows } = await sql.query(`explain (analyze, format json) ${text}`, values);
    await sql.query('rollback');
    expect(mostRead(rows[0]['QUERY PLAN'][0].Plan), text).toBeLessThan(1_000);
  }
});

/** Pairs of rows that a plan has compared without a match. */
function comparedInVain(plan: Plan): number {
  const own = (plan['Rows Removed by Join Filter'] ?? 0) * plan['Actual Loops'];
  return (plan.Plans ?? []).reduce((sum, one) => sum + comparedInVain(one), own);
}

it('in a month that was never analyzed, what is linked is not compared with all that is there', async () => {
  const { sql } = ledger();
  await ledger().query(`select escapement.ensure_partition('2026-03-01Z')`);
  await ledger().query('alter table escapement.firings_202603 set (autovacuum_enabled = false)');
  await ledger().query(`insert into escapement.firings (schedule_id, scheduled_time, state, outcome, kind, namespace, schedule_version,
      workflow_id, claimed_at, closed_at)
    select 's' || n, t, state, case state when 'closed' then 'completed' end, 'schedule', 'default', 1, 's' || n || '-' || t, t,
      case state when 'closed' then t end
    from generate_series(1, 10000) n, (values ('2026-03-01T00:00Z'::timestamptz, 'closed'), ('2026-03-01T00:01Z', 'claimed')) x (t, state)`);
  const statements: [string, unknown[]][] = [];
  const store = openStore({
    pool: watchedPool(ledger(), { before: (text, values) => statements.push([text, values]) }),
  });
  ledger().beforeClose(() => store.close());
  const now = new Date('2026-03-01T00:01:00Z');
  const started = { scheduledTime: now, epoch: 0, runId: 'run', cancelAt: null, pollAfterMilliseconds: 0 };
  const page = Array.from({ length: 500 }, (_, n) => ({ ...started, scheduleId: `s${n + 1}` }));
  expect(await linkFirings(store, page, now)).toHaveLength(500);
  const [[text, values]] = statements as [[string, unknown[]]];
  const { rows } = await sql.query(`explain (analyze, format json) ${text}`, values);
  expect(comparedInVain(rows[0]['QUERY PLAN'][0].Plan), text).toBeLessThan(1_000);
});

it('a page of what waits costs no more than its rows, in one lane or in thousands, whatever the statistics say', async () => {
  const { clock, sql } = ledger();
  await ledger().query(`select escapement.ensure_partition('2026-02-01Z'), escapement.ensure_partition('2026-03-01Z')`);
  await ledger().query('vacuum analyze escapement.firings');
  await ledger().query('alter table escapement.firings_202603 set (autovacuum_enabled = false)');
  for (const lanes of [1, 5_000]) {
    await ledger().query(`insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, schedule_version,
        workflow_id, claimed_at, tenant, task_queue, late, ready_at)
      select 's${lanes}-' || n, '2026-03-01Z', 'claimed', 'schedule', 'of ${lanes}', 1, 's' || n, '2026-03-01Z', 't' || n % ${lanes}, 'jobs',
        false, '2026-03-01Z' from generate_series(1, 50000) n`);
    const now = new Date(clock.now());
    const values = [`of ${lanes}`, randomUUID(), now];
    await sql.query('begin');
    const { rows } = await sql.query(
      `explain (analyze, buffers, format json) select * from escapement.take_waiting($1, $2, $3, $3, 100, $3, 3,
        '{"","",""}', '{"","",""}', '{}', '{}', '{}')`,
      values,
    );
    await sql.query('rollback');
    const plan = rows[0]['QUERY PLAN'][0].Plan;
    expect(plan['Actual Rows']).toBeGreaterThanOrEqual(100);
    // An index read visits a handful of pages in each of the two months; reading all waiting rows would visit
    // thousands.
    const pagesPerRow = (plan['Shared Hit Blocks'] + plan['Shared Read Blocks']) / 100;
    expect(pagesPerRow).toBeLessThan(100);
  }
});
