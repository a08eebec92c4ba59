import { expect, it } from 'vitest';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it.each([
  ['policies', 'null', 'what is stored as policies of the schedule is no object'],
  ['policies', '{"overlap": "SOMEHOW", "catchupWindow": 1000}', 'policies.overlap is not one of SKIP'],
  ['action', '7', 'what is stored as action of the schedule is no object'],
  ['action', '[]', 'what is stored as action of the schedule is no object'],
  ['spec', '"hourly"', 'the stored spec of the schedule is no object'],
  [undefined, undefined, 'its version 1 is not in the ledger'],
])('a schedule is set aside whose stored %s is %s, and says so; the others fire', async (column, stored, problem) => {
  const { client, clock, query } = { ...ledger(), query: ledger().query.bind(ledger()) };
  const bad = await client.create(someSchedule());
  const good = await client.create(someSchedule());
  const rows = `escapement.schedule_versions`;
  const change = column === undefined ? `delete from ${rows}` : `update ${rows} set ${column} = $2::jsonb`;
  await query(`${change} where schedule_id = $1`, [bad.scheduleId, ...(stored === undefined ? [] : [stored])]);
  const { passes } = await ledger().trigger();
  clock.set('2026-03-01T01:00:00Z');
  const { claimed } = await passes.claim();
  expect(claimed.map(({ scheduleId }) => scheduleId)).toEqual([good.scheduleId]);
  const [row] = await query<{ spec_error: string }>(
    'select spec_error from escapement.schedules where schedule_id = $1',
    [bad.scheduleId],
  );
  expect(row!.spec_error).toContain(problem);
});
