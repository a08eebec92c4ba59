import { sql } from 'kysely';
import { SchemaNotMigratedError } from '../../core/errors';
import type { Store } from '../connection';
import { codeOf, isLockTimeout } from '../postgres-errors';

/** The end of the retired months; undefined if no month is retired. */
export async function readRetentionFloor(store: Store): Promise<Date | undefined> {
  const { rows } = await sql<{ floor: Date }>`
    select (value #>> '{}')::timestamptz as floor from ${store.table('meta')} where key = 'retention_floor'`.execute(
    store.db,
  );
  return rows[0]?.floor;
}

export async function readMonths(store: Store): Promise<Date[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass(${`${store.schema}.firings`})`.execute(store.db);
  return rows
    .map(({ name }) => firstInstantOf(name))
    .filter((month) => month !== undefined)
    .sort((one, other) => one.getTime() - other.getTime());
}

function firstInstantOf(partition: string): Date | undefined {
  const [, year, month] = /^firings_(\d{4,})(\d\d)$/.exec(partition) ?? [];
  return year === undefined ? undefined : new Date(Date.UTC(Number(year), Number(month) - 1));
}

/**
 * Detach a month without open firings or unsettled letters. The retention floor is then at the month's end or later.
 *
 * @returns `open` if the month has an open firing or unsettled letter, or is already gone, and while another process
 * retires a month or erases rows; `locked` if other transactions kept `firings` locked for too long
 */
export async function retireMonth(store: Store, month: Date): Promise<'retired' | 'open' | 'locked'> {
  try {
    const { rows } = await sql<{ retired: boolean }>`
      select ${sql.id(store.schema, 'retire_partition')}(${month}::timestamptz) as retired`.execute(store.db);
    return rows[0]!.retired ? 'retired' : 'open';
  } catch (error) {
    if (isLockTimeout(error)) return 'locked';
    // Another process has just retired the month, and this session did not know that yet when it looked for the table.
    if (error instanceof SchemaNotMigratedError && codeOf(error.cause) === UNDEFINED_TABLE) return 'open';
    throw error;
  }
}

export interface MonthHolder {
  scheduleId: string;
  scheduledTime: Date;
  /** The ID of the unsettled letter; null if an open firing keeps the month. */
  letterId: string | null;
  /** The number of unsettled letters and open firings in the month. */
  open: number;
}

/** The oldest unsettled letter of a month, or else the oldest open firing; undefined if neither exists. */
export async function readMonthHolder(store: Store, month: Date): Promise<MonthHolder | undefined> {
  const until = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1));
  const { rows } = await sql<MonthHolder>`
    select schedule_id as "scheduleId", scheduled_time as "scheduledTime", letter_id as "letterId", (count(*) over ())::int as open
    from (select schedule_id, scheduled_time, letter_id from ${store.table('dead_letters')}
        where state in ('open', 'redriving') and scheduled_time >= ${month} and scheduled_time < ${until}
      union all
      select schedule_id, scheduled_time, null from ${store.table('firings')}
        where state in ('buffered', 'claimed', 'linked') and scheduled_time >= ${month} and scheduled_time < ${until}) held
    order by letter_id is null, scheduled_time limit 1`.execute(store.db);
  return rows[0];
}

const UNDEFINED_TABLE = '42P01';
const MONTH_RETIRED = 'ES001';

/** Whether `ensurePartitions` refused to create a month because the month is retired. */
export function isMonthRetired(error: unknown): boolean {
  return codeOf(error) === MONTH_RETIRED;
}
