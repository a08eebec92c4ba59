import { expect, it } from 'vitest';
import { heldStatements, watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('an occurrence that a trigger claims while somebody asks to run it again is under way', async () => {
  const { client, clock } = ledger();
  const { scheduleId } = await client.create(someSchedule());
  clock.set('2026-03-01T01:00:00Z');
  const statements = heldStatements(ledger(), (text) => text.includes('"firstCreatedAt"'));
  statements.untilClose();
  const held = ledger().newClient({ connectionString: undefined as never, pool: watchedPool(ledger(), statements) });
  const asked = held
    .getHandle(scheduleId)
    .runAgain('2026-03-01T01:00:00Z')
    .catch((error: unknown) => error);
  await expect.poll(statements.held).toBe(1);
  await (await ledger().trigger()).passes.claim();
  statements.letGo();
  expect(await asked).toMatchObject({ name: 'RunAgainError', problem: 'under_way' });
});
