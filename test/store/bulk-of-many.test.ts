import { expect, it } from 'vitest';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger();

it('records the schedules of a large operation in parts, since each statement must end in time', async () => {
  const { client, query } = { client: ledger().client, query: (text: string) => ledger().query(text) };
  await client.create(someSchedule({ scheduleId: 'a' }));
  for (const table of ['schedules', 'schedule_versions', 'timers'])
    await query(`insert into escapement.${table}
      select (jsonb_populate_record(t, jsonb_build_object('schedule_id', 'a-' || n))).*
      from escapement.${table} t, generate_series(1, 50000) n where schedule_id = 'a'`);
  await query(`create function escapement.too_many() returns trigger language plpgsql as
    $$ begin if (select count(*) > 50000 from recorded) then raise 'too many'; end if; return null; end $$`);
  await query(`create trigger too_many after insert on escapement.bulk_schedules referencing new table as recorded
    for each statement execute function escapement.too_many()`);
  const stopping = new AbortController();
  const options = { signal: stopping.signal, progress: () => stopping.abort() };
  expect(await client.bulk.tag({ all: true }, { ...options, owner: 'ops' })).toMatchObject({
    total: 50_001,
    left: 50_001,
  });
  const [row] = await query('select count(distinct schedule_id)::int as count from escapement.bulk_schedules');
  expect(row).toEqual({ count: 50_001 });
});
