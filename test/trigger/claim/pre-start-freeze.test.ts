import { expect, it } from 'vitest';
import { patiently, watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';
import { SLOW } from './ahead';

const ledger = useLedger('2026-03-01T00:30:00Z');

const waitsForLock = async () =>
  (await ledger().query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`))
    .length > 0;

it.each([
  ['has planned', 'with locked as materialized', []],
  ['writes', 'with inserted as', ['schedule']],
])('a freeze that is created while a trigger %s a firing ahead holds it, or names it', async (_, statement, named) => {
  const { client, clock } = ledger();
  const { scheduleId } = await client.create(someSchedule({ scheduleId: 'schedule' }));
  const [from, to] = [new Date('2026-03-01T01:00:00Z'), new Date('2026-03-01T02:00:00Z')];
  let creating: ReturnType<typeof client.freezes.create> | undefined;
  let isNear = false;
  const pool = watchedPool(ledger(), {
    instead: patiently,
    before: async (text) => {
      if (!isNear || creating || !text.includes(statement)) return;
      let isCreated = false;
      creating = client.freezes.create({ all: true, from, to });
      creating.finally(() => {
        isCreated = true;
      });
      // The trigger goes on once the freeze is created, or waits for the trigger.
      await expect.poll(async () => isCreated || (await waitsForLock())).toBe(true);
    },
  });
  const { passes } = await ledger().trigger({ connectionString: undefined, pool, limits: SLOW });
  await passes.claim();
  clock.set('2026-03-01T00:59:59Z');
  isNear = true;
  await passes.claim();
  const { handedOver } = await creating!;
  expect(handedOver.map((firing) => firing.scheduleId)).toEqual(named);
  expect((await ledger().answers(scheduleId)).length).toBe(named.length);
});
