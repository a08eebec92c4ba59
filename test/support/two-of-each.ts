import { writeLetter } from './failures/letters';
import { someSchedule, type TestLedger } from './ledger';

/** Writes two or more of everything that a list shows: schedules, firings, gaps, letters, versions. */
export async function writeTwoOfEach(ledger: TestLedger): Promise<void> {
  const { client } = ledger;
  for (const scheduleId of ['one', 'two']) {
    const handle = await client.create(someSchedule({ scheduleId }));
    await handle.update((previous) => ({ ...previous, spec: { cron: '30 * * * *' } }));
    await handle.update((previous) => ({ ...previous, spec: { cron: '45 * * * *' } }));
    await handle.trigger();
    await ledger.query(
      `insert into escapement.gaps (schedule_id, from_time, to_time, count, reason, recorded_at)
       values ($1, '2026-02-01Z', '2026-02-02Z', 24, 'paused', '2026-02-03Z')`,
      [scheduleId],
    );
    await writeLetter(ledger);
    await client.create(someSchedule({ scheduleId: `${scheduleId}, paused`, state: { paused: true } }));
    await client.create(someSchedule({ scheduleId: `${scheduleId}, by hand`, spec: {} }));
  }
}
