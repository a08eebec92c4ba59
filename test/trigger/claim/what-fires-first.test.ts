import { expect, it } from 'vitest';
import { watchedPool } from '../../support/connections/watched-pool';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('what fires is claimed before what was created meanwhile is planned, and both in one pass', async () => {
  await ledger().client.create(someSchedule({ scheduleId: 'fires' }));
  const transactions: string[][] = [];
  const pool = watchedPool(ledger(), {
    before: (text, values) => {
      if (!text.includes('insert into "escapement"."firings"')) return;
      transactions.push(
        ['fires', 'made'].filter((scheduleId) => values.some((value) => `${value}`.includes(scheduleId))),
      );
    },
  });
  const trigger = await ledger().trigger({ pool });
  await trigger.passes.claim();
  // It is due for longer: since now.
  await ledger().client.create(someSchedule({ scheduleId: 'made', spec: { at: new Date('2099-01-01T00:00:00Z') } }));
  ledger().clock.set('2026-03-01T01:00:00Z');
  transactions.length = 0;
  const { claimed, due, locked } = await trigger.passes.claim();
  expect(claimed.map(({ scheduleId }) => scheduleId)).toEqual(['fires']);
  expect({ due, locked }).toEqual({ due: 2, locked: 2 });
  expect(transactions).toEqual([['fires'], ['made']]);
  const [made] = await ledger().query(`select wake_at from escapement.timers where schedule_id = 'made'`);
  expect(made).toEqual({ wake_at: new Date('2099-01-01T00:00:00Z') });
});
