import { expect, it } from 'vitest';
import { useApi } from '../../support/api';
import { someSchedule } from '../../support/ledger';

const api = useApi();

const WAYS: [string, boolean][] = [
  ['before', false],
  ['once', true],
];

async function verdict(isRead: boolean, tenant?: string) {
  const of = api().open({ tenant });
  if (isRead) await of.context.specs.current();
  return (await api().ask({ of, url: '/v1/overview' })).body.verdict;
}

it.each(WAYS)('a schedule that was set aside counts as none that fires, %s all specs are read', async (_, isRead) => {
  const { ledger } = api();
  await ledger.client.create(someSchedule({ tenant: 'acme' }));
  await (await ledger.trigger()).passes.heartbeat();
  await ledger.query(`update escapement.schedules set spec_error = 'damaged', set_aside_at = now()`);
  expect(await verdict(isRead, 'acme')).toMatchObject({ sentence: 'There is no schedule that fires yet.' });
});

it.each(WAYS)(
  'no trigger is missed although all schedules were set aside, %s all specs are read',
  async (_, isRead) => {
    const { ledger } = api();
    await ledger.client.create(someSchedule());
    await ledger.query(`update escapement.schedules set spec_error = 'damaged', set_aside_at = now()`);
    expect(await verdict(isRead)).toMatchObject({ id: 'no_trigger' });
  },
);
