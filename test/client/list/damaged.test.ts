import { expect, it } from 'vitest';
import { InvalidQueryError } from '../../../index';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it.each([
  ['7'],
  ['[]'],
  ['{"Team": null}'],
  ['{"Team": {"type": 7, "value": ["x"]}}'],
  ['{"Team": {"type": "Keyword"}}'],
  ['{"Team": {"type": "Newer", "value": {"of": "newer"}}}'],
])('a schedule whose stored search attributes are %s hides no other in a list, and none is refused', async (stored) => {
  const { client } = ledger();
  await client.create(someSchedule({ scheduleId: 'bad', searchAttributes: { Team: ['x'] } }));
  await client.create(someSchedule({ scheduleId: 'good', searchAttributes: { Team: ['x'] } }));
  await ledger().query(`update escapement.schedules set search_attributes = $1::jsonb where schedule_id = 'bad'`, [
    stored,
  ]);
  const listed = async (query?: string) =>
    (await client.listPage({ ...(query ? { query } : {}) })).schedules.map(({ scheduleId }) => scheduleId);
  expect(await listed()).toEqual(['bad', 'good']);
  expect(await listed(`Team = 'x'`)).toContain('good');
  await expect(listed(`Taem = 'x'`)).rejects.toThrow(InvalidQueryError);
  await client.getHandle('bad').describe();
});

it.each([
  ['spec', '{"cron": 7}'],
  ['spec', '{"cron": [null]}'],
  ['spec', '{"intervals": [null]}'],
  ['spec', '{"calendars": "x", "timezone": {}}'],
  ['spec', '{"cron": "0 * * * *", "skipDays": 7, "calendarDays": 7}'],
  ['action', '{"workflowType": "w", "taskQueue": "q", "headers": {"a": 7}}'],
  ['policies', '{"overlap": "SKIP", "catchupWindow": 1e30, "catchupLimit": -1, "alerts": 7}'],
])(
  'a schedule whose stored %s is %s is described, listed, explained and mended by an update',
  async (column, stored) => {
    const { client } = ledger();
    const handle = await client.create(someSchedule());
    await ledger().query(`update escapement.schedule_versions set ${column} = $1::jsonb`, [stored]);
    await handle.describe();
    expect(JSON.stringify((await client.listPage()).schedules)).toContain(handle.scheduleId);
    await handle.explain('2026-03-01T01:00:00Z');
    const { spec, action, policies } = someSchedule();
    await handle.update(() => ({ spec, action, ...(policies ? { policies } : {}) }));
    expect((await handle.describe()).info.nextActionTimes).toHaveLength(10);
  },
);

it.each([
  ['recovery', '"newer"'],
  ['recovery', '{"number": 2}'],
  ['again', '7'],
  ['again', '{"actor": {}}'],
])('a firing whose stored %s is %s is listed and explained', async (column, stored) => {
  const { client } = ledger();
  const handle = await client.create(someSchedule());
  await ledger().claimAt('01:00:00');
  await ledger().query(`update escapement.firings set ${column} = $1::jsonb`, [stored]);
  expect(await ledger().firings(handle.scheduleId)).toMatchObject([{ state: 'claimed', [column]: null }]);
  expect(String(await handle.explain('2026-03-01T01:00:00Z'))).not.toContain('undefined');
});
