import { useLedger } from '../../support/ledger';

export const DAY = 86_400_000;

/** A ledger whose months a test fills. */
export function useMonths() {
  const ledger = useLedger('2026-01-15T00:30:00Z');

  /** Names of the tables of firings: attached months and archived ones. */
  async function months(): Promise<{ attached: string[]; archived: string[] }> {
    const rows = await ledger().query<{ name: string; attached: boolean }>(
      `select relname as name, relispartition as attached from pg_class
       where relnamespace = 'escapement'::regnamespace and relkind = 'r' and relname ~ 'firings_\\d' order by 1`,
    );
    const named = (attached: boolean) => rows.filter((row) => row.attached === attached).map((row) => row.name);
    return { attached: named(true), archived: named(false) };
  }

  /** Write a firing as if it had finished. */
  async function insertFiring(scheduleId: string, scheduledTime: string, state = 'skipped'): Promise<void> {
    await ledger().query(`select escapement.ensure_partition($1::timestamptz)`, [scheduledTime]);
    await ledger().query(
      `insert into escapement.firings (schedule_id, scheduled_time, state, outcome, kind, namespace, schedule_version, claimed_at)
       values ($1, $2, $3, case when $3 = 'closed' then 'completed' end, 'schedule', 'default', 1, $2)`,
      [scheduleId, scheduledTime, state],
    );
  }

  async function insertLetter(scheduledTime: string, state: string): Promise<void> {
    await ledger().query(
      `insert into escapement.dead_letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace,
         created_at, updated_at) values (gen_random_uuid(), 'one', $1, 0, 'workflow', $2, 'failed', 'default', $1, $1)`,
      [scheduledTime, state],
    );
  }

  return { ledger, months, insertFiring, insertLetter };
}
