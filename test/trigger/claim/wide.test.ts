import { expect, it } from 'vitest';
import { openStore } from '../../../store/connection';
import { takeOpenChains } from '../../../store/firings/observe';
import { watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

interface Plan {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

function rowsRead(plan: Plan): number {
  const own = (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
  return own + (plan.Plans ?? []).reduce((sum, inner) => sum + rowsRead(inner), 0);
}

it('a poll of many chains that others wait for asks once a schedule whether any wait', async () => {
  await ledger().client.create(someSchedule({ scheduleId: 'wide' }));
  await ledger().query(`select escapement.ensure_partition('2026-02-05Z')`);
  await ledger().query(
    `insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, schedule_version, workflow_id,
       run_id, check_at, claimed_at, linked_at)
     select 'wide', '2026-02-05Z'::timestamptz + k * interval '1 second', case when k <= 2000 then 'linked' else 'buffered' end,
       'backfill', 'default', 1, 'w' || k, 'r' || k, '2026-03-01Z', '2026-02-01Z', '2026-02-01Z' from generate_series(1, 2001) k`,
  );
  const statements: { text: string; values: unknown[] }[] = [];
  const pool = watchedPool(ledger(), { before: (text, values) => statements.push({ text, values }) });
  const store = openStore({ pool });
  ledger().beforeClose(() => store.close());
  const now = new Date('2026-03-01T00:30:00Z');
  const pause = { shortest: 60_000, longest: 1_800_000, shareOfAge: 1 };
  const next = { now, awaitedPause: 60_000, stalledPause: 60_000, pause, unlisted: [], unlistedPause: pause };
  expect(await takeOpenChains(store, next, 500)).toHaveLength(500);
  // A tenth of the half hour that they are late, from the head of the queue, and the shortest pause.
  const soon = new Date('2026-03-01T00:04:00Z');
  expect(await ledger().query('select 1 from escapement.firings where check_at = $1', [soon])).toHaveLength(500);

  const { text, values } = statements.at(-1)!;
  await ledger().query('begin');
  const [explained] = await ledger().query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `explain (analyze, format json) ${text}`,
    values,
  );
  await ledger().query('rollback');
  // Once for each of 500 it would be a million.
  expect(rowsRead(explained!['QUERY PLAN'][0].Plan)).toBeLessThan(20_000);
});
