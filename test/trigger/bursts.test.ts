import { expect, inject, it } from 'vitest';
import { connectTemporal } from '../../temporal/connection';
import { oneServer } from '../../temporal/temporal';
import { Trigger } from '../../trigger';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it.each([
  { burst: 'on time', firedAt: '2026-03-01T01:00:05Z', inFlight: 64 },
  { burst: 'a backlog', firedAt: '2026-03-01T01:30:00Z', inFlight: 24 },
])('of a burst that is $burst, $inFlight starts are in flight', async ({ firedAt, inFlight }) => {
  const { client, clock, databaseUrl, log } = ledger();
  for (let schedule = 0; schedule < 70; schedule++) await client.create(someSchedule());
  const called: (() => void)[] = [];
  const options = { connectionString: databaseUrl, clock, logger: log };
  const trigger = await Trigger.createOn(options, async (settings) => {
    const port = await connectTemporal({ address: inject('temporalAddress') }, settings);
    const start = port.startWorkflow.bind(port);
    let isHeld = true;
    port.startWorkflow = async (...args) => {
      if (isHeld) await new Promise<void>((resolve) => called.push(resolve));
      isHeld = false;
      return start(...args);
    };
    return oneServer(port);
  });
  ledger().beforeClose(() => trigger.close());
  clock.set(firedAt);
  await trigger.passes.claim();
  const dispatching = trigger.passes.dispatch();
  await expect.poll(() => called.length).toBe(inFlight);
  for (const letGo of called) letGo();
  expect(await dispatching).toMatchObject({ linked: 70 });
});
