import type { Ledger } from '../ledger';

const TABLES = ['schedules', 'schedule_versions', 'timers'];

/**
 * Copies a schedule directly in the tables, since creating each copy by a call would take too long; used only to
 * prepare a measurement. The ID of a copy is the ID of the original, a dash and a number. The original counts as one of
 * the copies.
 */
export async function multiply(ledger: Ledger, scheduleId: string, count: number): Promise<string[]> {
  for (const table of TABLES) {
    const others = (await columnsOf(ledger, table)).filter((column) => column !== 'schedule_id').join(', ');
    await ledger.query(
      `insert into escapement.${table} (schedule_id, ${others})
       select schedule_id || '-' || number, ${others} from escapement.${table}, generate_series(1, $2::int) as number
       where schedule_id = $1`,
      [scheduleId, count - 1],
    );
  }
  await ledger.query(`vacuum analyze ${TABLES.map((table) => `escapement.${table}`).join(', ')}`);
  return [scheduleId, ...Array.from({ length: count - 1 }, (_, index) => `${scheduleId}-${index + 1}`)];
}

async function columnsOf(ledger: Ledger, table: string): Promise<string[]> {
  const columns = await ledger.query<{ name: string }>(
    `select quote_ident(attname) as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
    [`escapement.${table}`],
  );
  return columns.map(({ name }) => name);
}
