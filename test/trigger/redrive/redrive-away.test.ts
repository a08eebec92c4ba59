import { expect, it } from 'vitest';
import { useLedger } from '../../support/ledger';
import { giveUp } from './given-up';

const ledger = useLedger('2026-03-01T12:00:00Z');

/** Runs that have failed, of which Temporal knows none, and their letters. The first ones are in a missing namespace. */
async function failedRuns({ missing, count }: { missing: number; count: number }, overlap: 'SKIP' | 'ALLOW_ALL') {
  const scheduleId = await giveUp(ledger(), { overlap }, count);
  const closed = { state: 'closed', outcome: 'failed', run_id: 'run', closed_at: new Date(ledger().clock.now()) };
  await ledger().query(
    `update escapement.firings set (state, outcome, run_id, closed_at) =
       (select state, outcome, run_id, closed_at from jsonb_populate_record(null::escapement.firings, $1))`,
    [closed],
  );
  await ledger().query(`update escapement.letters set kind = 'workflow', reason = 'failed'`);
  for (const table of ['firings', 'letters'])
    await ledger().query(
      `update escapement.${table} set namespace = 'nowhere'
       where scheduled_time <= '2026-03-01T00:00:00Z'::timestamptz + $1 * interval '1 hour'`,
      [missing],
    );
  return scheduleId;
}

const letters = () => ledger().query('select state, note from escapement.letters order by scheduled_time');

it('a resume in a namespace that has been missing for an hour is refused, so that its letter can be discarded', async () => {
  const scheduleId = await failedRuns({ missing: 1, count: 1 }, 'SKIP');
  const { passes } = await ledger().trigger();
  const minutesOfPasses = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute++) {
      ledger().clock.advance(60_000);
      await passes.heartbeat();
      await passes.redrive();
      await passes.reconcile();
    }
  };
  await ledger().client.deadLetters.redriveAll({ scheduleId }, { mode: 'resume' });
  await minutesOfPasses(59);
  expect(await letters()).toMatchObject([{ state: 'redriving' }]);
  await minutesOfPasses(4);
  expect(await letters()).toEqual([
    { state: 'open', note: expect.stringMatching(/^not redriven: its namespace does not exist/) },
  ]);
});

it('a letter of a namespace that answers does not wait for an older one of its schedule in a namespace that is away', async () => {
  const scheduleId = await failedRuns({ missing: 1, count: 2 }, 'SKIP');
  const { passes } = await ledger().trigger();
  await ledger().client.deadLetters.redriveAll({ scheduleId }, { mode: 'resume' });
  ledger().clock.advance(2_001);
  expect(await passes.redrive()).toMatchObject({ taken: 1, postponed: 1 });
  // Temporal has no run of this one, and says so.
  expect(await passes.redrive()).toMatchObject({ taken: 1, refused: 1 });
});

it('redrives that were not sent to a namespace that is away leave their place in the pace to others', async () => {
  const scheduleId = await failedRuns({ missing: 8, count: 12 }, 'ALLOW_ALL');
  const { passes } = await ledger().trigger();
  await ledger().client.deadLetters.redriveAll({ scheduleId }, { mode: 'resume', perSecond: 2 });
  for (let poll = 0; poll < 2; poll++) {
    ledger().clock.advance(2_001);
    expect(await passes.redrive()).toMatchObject({ taken: 4, postponed: 4 });
  }
  expect(await passes.redrive()).toMatchObject({ taken: 4, refused: 4 });
});
