import { expect, it } from 'vitest';
import { useApi } from '../../support/api';
import { someSchedule } from '../../support/ledger';

const api = useApi();

it.each([
  ['before', false],
  ['once', true],
])('the verdict of a tenant is about its own schedules alone, %s all specs are read', async (_, isRead) => {
  const { ask, open, ledger } = api();
  const trigger = await ledger.trigger();
  await trigger.passes.heartbeat();
  await ledger.client.create(someSchedule({ tenant: 'beta' }));
  const [acme, beta] = [open({ tenant: 'acme' }), open({ tenant: 'beta' })];
  const sentence = async (of: typeof acme) => {
    if (isRead) await of.context.specs.current();
    return (await ask({ of, url: '/v1/overview' })).body.verdict.sentence;
  };
  expect(await sentence(acme)).toBe('There is no schedule that fires yet.');
  expect(await sentence(beta)).toBe('Everything is on time; no workflow runs now.');
  await ledger.newClient({ tenant: 'acme' }).create(someSchedule({ tenant: 'acme' }));
  expect(await sentence(acme)).toBe('Everything is on time; no workflow runs now.');
});
