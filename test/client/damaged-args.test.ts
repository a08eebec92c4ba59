import { expect, it } from 'vitest';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('a schedule whose stored arguments are no message hides no version, stops no apply, and is mended by both', async () => {
  const { client } = ledger();
  const { action, ...rest } = someSchedule({ scheduleId: 'bad' });
  const declared = { ...rest, action: { ...action, args: ['new'] } };
  const good = someSchedule({ scheduleId: 'good' });
  const apply = (revision: number) => client.apply([declared, good], { source: 'here', revision });
  await apply(1);
  const damage = () =>
    ledger().query(String.raw`update escapement.schedule_versions set args = '\xff'
    where schedule_id = 'bad'`);
  const handle = client.getHandle('bad');
  const args = async () => (await handle.describe()).action.args;

  await damage();
  for await (const version of handle.versions()) {
    expect(version.action).toMatchObject({ args: { payloads: [] }, argsError: expect.any(String) });
  }
  // An updater that returns what it was given keeps the stored bytes.
  await handle.update((previous) => ({ ...previous, owner: 'ops' }));
  expect(await ledger().query(`select args from escapement.schedule_versions where schedule_id = 'bad'`)).toEqual([
    { args: Buffer.from([0xff]) },
  ]);
  await handle.update((previous) => ({ ...previous, action: { ...previous.action, workflowId: 'another' } }));
  expect(
    await ledger().query(`select args from escapement.schedule_versions where schedule_id = 'bad' and version > 1`),
  ).toEqual([{ args: Buffer.from([0xff]) }]);
  await handle.update((previous) => ({ ...previous, action: { ...previous.action, args: ['mended'] } }));
  expect(await args()).toEqual(['mended']);

  await damage();
  expect(await apply(2)).toMatchObject({ updated: [{ scheduleId: 'bad' }], unchanged: ['good'] });
  expect(await args()).toEqual(['new']);
});
