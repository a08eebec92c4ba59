import { expect, inject, it } from 'vitest';
import { connectTemporal } from '../../../temporal/connection';
import { oneServer } from '../../../temporal/temporal';
import { Trigger } from '../../../trigger';
import { StartGate } from '../../../trigger/dispatch/starts-in-flight';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

/** How many of so many calls the gate lets in before any has ended. */
async function letIn(gate: StartGate, calls: number, isOnTime = false): Promise<number> {
  let entered = 0;
  for (let call = 0; call < calls; call++) {
    void gate.enter(isOnTime).then(() => {
      entered += 1;
    });
  }
  await Promise.resolve();
  return entered;
}

it('of a backlog 24 starts go at once, and what is beyond waits until one of them is answered', async () => {
  const gate = new StartGate(64, () => 0);
  expect(await letIn(gate, 26)).toBe(24);
  expect(gate.isLoaded).toBe(true);
});

it('starts that are on time go at once, as many as the trigger may have, beside those of a backlog', async () => {
  const gate = new StartGate(64, () => 0);
  await letIn(gate, 24);
  expect(await letIn(gate, 50, true)).toBe(40);
});

it.each(['busy', 'lost'] as const)(
  'after a call that was %s, as many are on time as of a backlog, for half a minute',
  async (end) => {
    let now = 0;
    const gate = new StartGate(64, () => now);
    const callOnce = async () => {
      await gate.enter(true);
      gate.leave(end, 10);
    };
    const inFlight = async () => {
      const entered = await letIn(gate, 64, true);
      for (let call = 0; call < 64; call++) gate.leave('other', 10);
      return entered;
    };
    expect(await inFlight()).toBe(64);
    await callOnce();
    expect(await inFlight()).toBe(gate.limit);
    now = 30_001;
    expect(await inFlight()).toBe(Math.min(64, 3 * gate.limit));
  },
);

it('a burst that fills what a backlog may have counts as load, though no call waits, and a single call does not', async () => {
  const gate = new StartGate(64, () => 0);
  await letIn(gate, 23, true);
  expect(gate.isLoaded).toBe(false);
  await letIn(gate, 1, true);
  expect(gate.isLoaded).toBe(true);
  const single = new StartGate(1, () => 0);
  await letIn(single, 1);
  expect(single.isLoaded).toBe(false);
});

it('no more calls are under way than the trigger may have', async () => {
  expect(await letIn(new StartGate(8, () => 0), 26)).toBe(8);
  expect(await letIn(new StartGate(8, () => 0), 26, true)).toBe(8);
});

it('a server that answers as fast as ever is given more at once, and one that refuses half as many', async () => {
  const gate = new StartGate(64, () => 0);
  await letIn(gate, 100);
  for (let call = 0; call < 24; call++) gate.leave('answered', 10);
  const wider = gate.limit;
  expect(wider).toBeGreaterThanOrEqual(24);
  gate.leave('busy', 10);
  expect(gate.limit).toBeLessThanOrEqual(Math.ceil(wider / 2));
  expect(gate.pause).toBeGreaterThan(0);
});

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
