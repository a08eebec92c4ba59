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

it('a dry run says that a namespace does not exist', async () => {
  const scheduleId = uniqueName('elsewhere');
  await ledger().client.create(someSchedule({ scheduleId, namespace: 'gone' }));
  expect(await planned()).toMatchObject({
    [scheduleId]: { status: 'left', reason: expect.stringMatching(/Temporal says: .*gone/) },
  });
});
