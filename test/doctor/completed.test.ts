import { expect, it } from 'vitest';
import { openStore } from '../../store/connection';
import { readRoutesInUse } from '../../store/doctor/schedules';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('does not miss the worker of a schedule that is completed, unless one of its firings is open', async () => {
  const action = { type: 'startWorkflow', workflowType: 'w', taskQueue: 'of-last-year' } as const;
  const handle = await ledger().client.create(someSchedule({ action, state: { remainingActions: 1 } }));
  ledger().clock.set('2026-03-01T01:00:00Z');
  await (await ledger().trigger()).passes.claim();
  expect((await handle.describe()).state).toMatchObject({ completed: true });

  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  expect(await readRoutesInUse(store)).toMatchObject([{ taskQueue: 'of-last-year', schedules: 1 }]);
  await ledger().query(`update escapement.firings set state = 'closed', outcome = 'completed', closed_at = now()`);
  expect(await readRoutesInUse(store)).toEqual([]);
});
