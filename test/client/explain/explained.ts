import type { Explanation, ScheduleHandle } from '../../../index';
import { someSchedule, useLedger } from '../../support/ledger';

export const ONE = '2026-03-01T01:00:00Z';

export const TWO = '2026-03-01T02:00:00Z';

export const LETTER = '00000000-0000-4000-8000-000000000001';

export async function causeOf(handle: ScheduleHandle, time = ONE) {
  const explanation: Explanation = await handle.explain(time);
  if (explanation.answer !== 'firing' && explanation.answer !== 'not_yet') throw new Error(explanation.sentence);
  return { cause: explanation.cause, words: explanation.sentence.slice('Sun 2026-03-01 01:00:00 +00:00: '.length) };
}

/** A schedule that has fired once, and what explain says of it. */
export function useExplained() {
  const ledger = useLedger('2026-03-01T00:30:00Z');

  /** An hourly schedule that fired at 01:00, and a trigger with a recent heartbeat. */
  async function claimed(policies: Parameters<typeof someSchedule>[0] = {}) {
    const handle = await ledger().client.create(someSchedule({ scheduleId: 'nightly', ...policies }));
    ledger().clock.set(ONE);
    const trigger = await ledger().trigger();
    await trigger.passes.heartbeat();
    await trigger.passes.claim();
    return { handle, trigger };
  }

  const set = (change: string, time = ONE) =>
    ledger().query(`update escapement.firings set ${change} where scheduled_time = $1`, [time]);

  /** Each live trigger reports this with its heartbeat. */
  const sayAway = (since: string) =>
    ledger().query('update escapement.triggers set away = $1', [
      JSON.stringify([{ namespace: 'default', since, error: 'UNAVAILABLE' }]),
    ]);

  /** Do some work while another session keeps a row locked. */
  async function beside<Result>(lock: string, work: (pid: number) => Promise<Result>): Promise<Result> {
    await ledger().query('begin');
    try {
      await ledger().query(lock);
      const [row] = await ledger().query<{ pid: number }>('select pg_backend_pid() as pid');
      return await work(row!.pid);
    } finally {
      await ledger().query('rollback');
    }
  }

  const writeLetter = (kind: string, state = 'open') =>
    ledger().query(
      `insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, failed_step,
         created_at, updated_at)
       select $1, schedule_id, scheduled_time, epoch, $2, $3, 'step_failed', namespace, $4, '2026-03-01T01:02Z', '2026-03-01T01:02Z'
       from escapement.firings where scheduled_time = '${ONE}'`,
      [LETTER, kind, state, { activityType: 'charge', failure: { type: 'CardDeclined', message: 'no money' } }],
    );

  return { ledger, claimed, set, sayAway, beside, writeLetter };
}
