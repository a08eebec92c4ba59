import { expect, it } from 'vitest';
import { announceAll } from '../../support/announced';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

it('a schedule is not said to work again while Postgres refuses one of its firings that are given up', async () => {
  const handle = await ledger().client.create(someSchedule({ policies: { overlap: 'ALLOW_ALL' } }));
  const lost = await ledger().trigger();
  ledger().clock.set('2026-03-01T03:00:00Z');
  await lost.passes.claim();
  await announceAll(ledger(), lost);
  await handle.pause();
  await ledger().query(`create function escapement.refuses() returns trigger language plpgsql as
    $$ begin raise 'not this one'; end $$`);
  await ledger().query(`create trigger refuses before update on escapement.firings for each row
    when (new.state = 'abandoned' and new.scheduled_time = '2026-03-01T02:00:00Z')
    execute function escapement.refuses()`);
  const said = () =>
    ledger()
      .log.messages()
      .filter((message) => message.startsWith('the end of a firing of'));

  const trigger = await ledger().trigger();
  ledger().clock.advance(31_000);
  expect(await trigger.passes.reconcile()).toMatchObject({ taken: 3, abandoned: 2 });
  const failed = 'the end of a firing of a schedule failed, and the others continue; trying again';
  expect(said()).toEqual([failed]);

  await ledger().query('drop function escapement.refuses() cascade');
  ledger().clock.advance(31_000);
  expect(await trigger.passes.reconcile()).toMatchObject({ taken: 1, abandoned: 1 });
  expect(said()).toEqual([failed, 'the end of a firing of the schedule works again']);
});
