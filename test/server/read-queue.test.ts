import { expect, it } from 'vitest';
import { ReadQueue } from '../../server/read-queue';
import { gate } from '../support/leases/lease-activities';

/** Reads that end when the test says so. */
function reads() {
  const gates: ReturnType<typeof gate<number>>[] = [];
  const ask = new ReadQueue().shared(() => {
    const one = gate<number>();
    gates.push(one);
    return one.promise;
  });
  const begun = (count: number) => expect.poll(() => gates.length).toBe(count);
  return { gates, ask, begun };
}

it('those who ask while a read runs share the next one, whose answer is not older than their questions', async () => {
  const { gates, ask, begun } = reads();
  const first = ask();
  await begun(1);
  const [second, third] = [ask(), ask()];
  expect(gates).toHaveLength(1);
  gates[0]!.open(1);
  expect(await first).toBe(1);
  await begun(2);
  const fourth = ask();
  gates[1]!.open(2);
  expect(await Promise.all([second, third])).toEqual([2, 2]);
  await begun(3);
  gates[2]!.open(3);
  expect(await fourth).toBe(3);
});

it('reads of another queue do not wait, and one after a pause begins at once', async () => {
  const [all, one] = [reads(), reads()];
  const [ofAll, ofOne] = [all.ask(), one.ask()];
  await all.begun(1);
  await one.begun(1);
  one.gates[0]!.open(1);
  all.gates[0]!.open(2);
  expect([await ofAll, await ofOne]).toEqual([2, 1]);
  void all.ask();
  await all.begun(2);
});

it('a read that fails fails for those who share it alone', async () => {
  let tries = 0;
  const ask = new ReadQueue().shared(async () => {
    tries += 1;
    if (tries === 1) throw new Error('away');
    return 5;
  });
  const failing = Promise.all([ask(), ask()]);
  await expect(failing).rejects.toThrow('away');
  expect(await ask()).toBe(5);
});
