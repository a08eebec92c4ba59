import { expect, it } from 'vitest';
import { openStore } from '../../store/connection';
import { handBack } from '../../store/schedules/cut-over';
import { lockSchedule } from '../../store/schedules/lock';
import { transact } from '../../store/transaction';
import { watchedPool } from '../support/connections/watched-pool';
import { someSchedule, useLedger } from '../support/ledger';
import { mostRead } from '../support/statements/plans';

const ledger = useLedger('2026-03-01T00:30:00Z');

it.each([
  ['before its history was analyzed', false],
  ['after its history was analyzed', true],
])('a schedule is handed back without reading its history, %s', async (_, isAnalyzed) => {
  const { client, clock, sql } = ledger();
  const { scheduleId } = await client.create(someSchedule({ state: { remainingActions: 2 } }));
  await ledger().query(`select escapement.ensure_partition('2026-02-01Z')`);
  await ledger().query('alter table escapement.firings_202602 set (autovacuum_enabled = false)');
  await ledger().query(
    `insert into escapement.firings (schedule_id, scheduled_time, state, outcome, kind, namespace, schedule_version,
        workflow_id, claimed_at, closed_at)
      select $1, '2026-02-20Z'::timestamptz + n * interval '1 second', state, case state when 'closed' then 'completed' end,
        'schedule', 'default', 1, $1 || n, '2026-02-20Z', case state when 'closed' then '2026-02-20Z'::timestamptz end
      from (select n, case when n <= 20000 then 'closed' when n <= 20003 then 'claimed' else 'buffered' end as state
        from generate_series(1, 20008) n) x`,
    [scheduleId],
  );
  if (isAnalyzed) await ledger().query('analyze escapement.firings');
  const statements: [string, unknown[]][] = [];
  const pool = watchedPool(ledger(), { before: (text, values) => statements.push([text, values]) });
  const store = openStore({ pool });
  ledger().beforeClose(() => store.close());
  const undone = transact(store, async (transaction) => {
    const locked = (await lockSchedule(transaction, scheduleId, new Date(clock.now())))!;
    expect(await handBack(transaction, locked, { note: 'handed back', actor: 'a test' })).toBe(0);
    throw new Error('undo this');
  });
  await expect(undone).rejects.toThrow('undo this');
  const ofFirings = statements.filter(([text]) => text.includes('update "escapement"."firings"'));
  expect(ofFirings).toHaveLength(1);
  for (const [text, values] of ofFirings) {
    await sql.query('begin');
    const { rows } = await sql.query(`explain (analyze, format json) ${text}`, values);
    await sql.query('rollback');
    expect(mostRead(rows[0]['QUERY PLAN'][0].Plan), text).toBeLessThan(100);
  }
});
