import { expect, it } from 'vitest';
import { StartGate } from '../../../trigger/dispatch/starts-in-flight';

/** How many of so many calls the gate lets in before any has ended. */
async function letIn(gate: StartGate, calls: number): Promise<number> {
  let entered = 0;
  for (let call = 0; call < calls; call++) {
    void gate.enter().then(() => {
      entered += 1;
    });
  }
  await Promise.resolve();
  return entered;
}

it('a first burst of 24 starts goes at once, and what is beyond waits until one of them is answered', async () => {
  const gate = new StartGate(64, () => 0);
  expect(await letIn(gate, 26)).toBe(24);
  expect(gate.isCrowded).toBe(true);
});

it('no more calls are under way than the trigger may have', async () => {
  expect(await letIn(new StartGate(8, () => 0), 26)).toBe(8);
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
