import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { SCHEDULE, START } from './plain';
import { play } from './play';
import { openTraceDatabase, type TraceDatabase } from './world';

let database: TraceDatabase;
beforeAll(async () => {
  database = await openTraceDatabase(inject('databaseUrl'));
});
afterAll(() => database.close());

async function meta(): Promise<unknown[]> {
  const { rows } = await database.sql.query('select key, value from escapement.meta order by key');
  return rows;
}

it('leaves nothing of one trace to the next: neither rows nor what the triggers have noted of their looks', async () => {
  const before = await meta();
  const setup = {
    ...START,
    schedules: [{ ...SCHEDULE, workflow: { ...SCHEDULE.workflow, outcome: 'failed' as const } }],
  };
  const noted: unknown[] = [];
  const look = { ...database, clear: async () => void noted.push(...(await meta())) };
  await play(look, {
    setup,
    commands: [
      { do: 'advance', milliseconds: 15_000 },
      { do: 'run', task: { trigger: 0, pass: 'all' } },
      { do: 'run', task: { trigger: 0, pass: 'adopt' } },
      { do: 'advance', milliseconds: 25 * 3_600_000 },
      { do: 'run', task: { trigger: 0, pass: 'adopt' } },
    ],
  });
  expect(noted).not.toEqual(before);
  await database.clear();
  expect(await meta()).toEqual(before);
  const { rows } =
    await database.sql.query(`select relname from pg_class where relnamespace = 'escapement'::regnamespace
    and relkind in ('r', 'p') and relname <> 'meta'
    and xpath_exists('//row', query_to_xml(format('select from escapement.%I limit 1', relname), false, false, ''))`);
  expect(rows).toEqual([]);
});
