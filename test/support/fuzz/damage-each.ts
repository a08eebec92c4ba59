import fc from 'fast-check';
import { expect } from 'vitest';
import type { TestLedger } from '../ledger';
import { choice, type Damage, damage, damageable, damageOf } from './damage';
import { keep } from './damage-scene';

/**
 * Damage random values of the ledger, one at a time, each in the rows that it has now.
 *
 * @param problemsOf what went wrong while the value was damaged
 */
export async function damageEach(
  ledger: TestLedger,
  numRuns: number,
  problemsOf: (done: Damage) => Promise<string[]>,
): Promise<void> {
  const columns = await damageable(ledger);
  const reset = await keep(ledger);
  await fc.assert(
    fc.asyncProperty(choice, async (chosen) => {
      await reset();
      const done = await damageOf(ledger, columns, chosen);
      // What the table's constraints refuse cannot be there.
      if (!done || !(await damage(ledger, done))) return;
      const { table, column, key, value } = done;
      expect(await problemsOf(done), `${table}.${column} of ${JSON.stringify(key)} is ${value}`).toEqual([]);
    }),
    { numRuns },
  );
}
