import { expect, inject, it } from 'vitest';
import { connectTemporal } from '../../../temporal/connection';
import { oneServer } from '../../../temporal/temporal';
import { Trigger } from '../../../trigger';
import { someSchedule, useLedger } from '../../support/ledger';
import { useWorker } from '../../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');
const worker = useWorker();

it('what comes due while Temporal is asked is not skipped by that answer', async () => {
  const { client, clock, log, databaseUrl } = ledger();
  const action = { type: 'startWorkflow' as const, workflowType: 'untilFinished', taskQueue: worker().taskQueue };
  const { scheduleId } = await client.create(someSchedule({ action }));
  let whileAsked = () => {};
  const trigger = await Trigger.createOn({ connectionString: databaseUrl, clock, logger: log }, async (settings) => {
    const port = await connectTemporal({ address: inject('temporalAddress') }, settings);
    const describe = port.describeChain.bind(port);
    port.describeChain = async (...args) => {
      const chain = await describe(...args);
      whileAsked();
      return chain;
    };
    return oneServer(port);
  });
  ledger().beforeClose(() => trigger.close());
  clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  clock.set('2026-03-01T02:00:00Z');
  await trigger.passes.claim();
  // An answer that takes an hour, so that its chain may have ended meanwhile.
  whileAsked = () => clock.set('2026-03-01T03:00:00Z');
  await trigger.passes.verify();
  expect(await ledger().answers(scheduleId)).toEqual([
    '03-01T01:00:00 schedule linked',
    expect.stringMatching(/^03-01T02:00:00 schedule skipped overlap$/),
  ]);
});
