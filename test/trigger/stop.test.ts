import { expect, inject, it } from 'vitest';
import { connectTemporal } from '../../temporal/connection';
import { oneServer } from '../../temporal/temporal';
import { Trigger } from '../../trigger';
import { watchedPool } from '../support/connections/watched-pool';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger();

it('a clean stop waits for one page of a long list, not for all', async () => {
  const { client, clock, log: logger } = ledger();
  await client.create(someSchedule());
  let pages = 0;
  const trigger = await Trigger.createOn({ pool: watchedPool(ledger(), {}), clock, logger }, async (settings) => {
    const temporal = await connectTemporal({ address: inject('temporalAddress') }, settings);
    const listRuns = async () => {
      pages += 1;
      trigger.shutdown();
      return { runs: [], next: 'more' };
    };
    const watched = new Proxy(temporal, {
      get: (target, name) => (name === 'listRuns' ? listRuns : Reflect.get(target, name).bind(target)),
    });
    return oneServer(watched);
  });
  expect(await trigger.passes.adopt()).toMatchObject({ complete: false });
  expect(pages).toBe(1);
  await trigger.close();
});
