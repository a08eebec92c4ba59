import { expect, it } from 'vitest';
import { JoinedReads } from '../../server/overview/joined-reads';
import { gate } from '../support/leases/lease-activities';

/** Reads that end when the test says so. */
function reads() {
  const joined = new JoinedReads<number>();
  const gates: ReturnType<typeof gate<number>>[] = [];
  const read = () => {
    const one = gate<number>();
    gates.push(one);
    return one.promise;
  };
  return { gates, ask: (key = 'all') => joined.of(key, read), joined };
}

it('those who ask while a read runs share the next one, whose answer is not older than their questions', async () => {
  const { gates, ask } = reads();
  const first = ask();
  const [second, third] = [ask(), ask()];
  expect(gates).toHaveLength(1);
  gates[0]!.open(1);
  expect(await first).toBe(1);
  await expect.poll(() => gates.length).toBe(2);
  const fourth = ask();
  gates[1]!.open(2);
  expect(await Promise.all([second, third])).toEqual([2, 2]);
  await expect.poll(() => gates.length).toBe(3);
  gates[2]!.open(3);
  expect(await fourth).toBe(3);
});

it('reads of another key do not wait, and one after a pause begins at once', async () => {
  const { gates, ask } = reads();
  const all = ask();
  const one = ask('acme');
  expect(gates).toHaveLength(2);
  gates[1]!.open(1);
  gates[0]!.open(2);
  expect([await all, await one]).toEqual([2, 1]);
  void ask();
  expect(gates).toHaveLength(3);
});

it('a read that fails fails for those who share it alone', async () => {
  const { joined } = reads();
  const failing = joined.of('all', () => Promise.reject(new Error('away')));
  const next = joined.of('all', () => Promise.resolve(5));
  await expect(failing).rejects.toThrow('away');
  expect(await next).toBe(5);
});
