import { constants, getPriority } from 'node:os';
import { expect, it } from 'vitest';
import { useLedger } from '../support/ledger';
import { whileServing } from './serving';

const ledger = useLedger();

it('lets firings of the same machine go first: its own priority is below normal', async () => {
  await whileServing(ledger(), {}, async ({ pid }) => {
    // The tests themselves may run at a lower priority.
    expect(getPriority(pid)).toBe(Math.max(constants.priority.PRIORITY_BELOW_NORMAL, getPriority()));
  });
});
