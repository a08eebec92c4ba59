import type { Ledger } from './ledger';

const TABLES = ['schedules', 'schedule_versions', 'timers'];

/**
 * Set-up only: so many schedules like the given one, straight into the tables, as one schedule after the other would take
 * too long. Their IDs are its own and a number; it counts as one of them.
 */
export async function multiply(ledger: Ledger, scheduleId: string, count: number): Promise<string[]> {
  for (const table of TABLES) {
    await ledger.query(
      `insert into escapement.${table}
       select (jsonb_populate_record(row, jsonb_build_object('schedule_id', row.schedule_id || '-' || number))).*
       from escapement.${table} row, generate_series(1, $2::int) as number where row.schedule_id = $1`,
      [scheduleId, count - 1],
    );
  }
  await ledger.query(`vacuum analyze ${TABLES.map((table) => `escapement.${table}`).join(', ')}`);
  return [scheduleId, ...Array.from({ length: count - 1 }, (_, index) => `${scheduleId}-${index + 1}`)];
}
