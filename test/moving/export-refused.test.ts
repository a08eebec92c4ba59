import { expect, it } from 'vitest';
import { type ExportedSchedule, exportSchedules } from '../../moving/export/export';
import { someSchedule, uniqueName, useLedger } from '../support/ledger';
import { useWorker } from '../support/temporal';

const ledger = useLedger();
const worker = useWorker();

async function planned() {
  const options = { ledger: { connectionString: ledger().databaseUrl }, to: worker().client, dryRun: true };
  const found: Record<string, ExportedSchedule> = {};
  for await (const one of exportSchedules(options)) found[one.scheduleId] = one;
  return found;
}

it.each([
  ['spec', `'null'`, 'is not an object'],
  ['action', `'null'`, 'action'],
  ['policies', `'null'`, 'policies'],
  ['policies', `policies || '{"overlap": "NEWER"}'`, 'policies.overlap'],
  ['spec', `'{"cron": 5}'`, 'its stored data cannot be read'],
  ['action', `action || '{"memo": {"of": "Cg=="}}'`, 'its stored data cannot be read'],
  ['args', `'\\x0affff'`, 'its stored data cannot be read'],
])('a schedule whose stored %s is %s is left, and the others are exported', async (part, stored, words) => {
  const names = [uniqueName('a'), uniqueName('b'), uniqueName('c')] as const;
  for (const scheduleId of names) await ledger().client.create(someSchedule({ scheduleId }));
  await ledger().query(`update escapement.schedule_versions set ${part} = ${stored} where schedule_id = $1`, [
    names[1],
  ]);
  expect(await planned()).toMatchObject({
    [names[0]]: { status: 'planned' },
    [names[1]]: { status: 'left', reason: expect.stringContaining(words) },
    [names[2]]: { status: 'planned' },
  });
});

it.each([
  ['search attributes', 'search_attributes', '{"Team": null}'],
  ['memo values', 'memo', '{"of": "Cg=="}'],
])('a schedule whose stored %s are damaged is left, and the others are exported', async (_, column, stored) => {
  const names = [uniqueName('a'), uniqueName('b'), uniqueName('c')] as const;
  for (const scheduleId of names) await ledger().client.create(someSchedule({ scheduleId }));
  await ledger().query(`update escapement.schedules set ${column} = $2 where schedule_id = $1`, [names[1], stored]);
  expect(await planned()).toMatchObject({
    [names[0]]: { status: 'planned' },
    [names[1]]: { status: 'left', reason: expect.stringContaining('its stored data cannot be read') },
    [names[2]]: { status: 'planned' },
  });
});

it('a dry run says that a namespace does not exist', async () => {
  const scheduleId = uniqueName('elsewhere');
  await ledger().client.create(someSchedule({ scheduleId, namespace: 'gone' }));
  expect(await planned()).toMatchObject({
    [scheduleId]: { status: 'left', reason: expect.stringMatching(/Temporal says: .*gone/) },
  });
});
