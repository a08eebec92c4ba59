import { expect, it } from 'vitest';
import { watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('of the dispatch loops that a claim wakes one takes all of it, and the others send no statement', async () => {
  for (let schedule = 0; schedule < 3; schedule++) await ledger().client.create(someSchedule());
  const statements: string[] = [];
  const trigger = await ledger().trigger({ pool: watchedPool(ledger(), { before: (text) => statements.push(text) }) });
  ledger().clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  statements.length = 0;
  const loops = await Promise.all([1, 2, 3].map(() => trigger.passes.dispatch('default', { known: true })));
  expect(loops.map(({ linked }) => linked).sort()).toEqual([0, 0, 3]);
  expect(statements.filter((text) => text.includes('take_from_lanes'))).toHaveLength(1);
});
