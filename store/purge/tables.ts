import { type RawBuilder, sql } from 'kysely';
import { advisoryKey } from '../advisory-lock';
import { waitForTurn } from '../alerts/turn';
import { type Store, storeOn } from '../connection';
import { withLockTimeout } from '../join';
import { transact } from '../transaction';
import { untilUnlocked } from './until-unlocked';

export interface PersonalTable {
  /** The name of the table. Each month of firings has a table of its own, also when retired. */
  name: string;
  /** The word under which the table's rows are counted. */
  kind: string;
  bySchedule: boolean;
  byTenant: boolean;
  /** Later tables of the same month; a restore may have copied firings into them. */
  later: string[];
}

/** Tables from which rows are erased last, so that a purge that was interrupted can still find the rest of its work. */
const LAST = ['schedules', 'schedule_versions', 'timers'];

/**
 * Every table of the schema with a column for a schedule or a tenant, except `LAST`. `tenant_hours` comes last: a quota
 * without its row there would keep every schedule of the tenant from firing, also those created later.
 */
export async function readPersonalTables(store: Store): Promise<PersonalTable[]> {
  const { rows } = await sql<{ name: string; bySchedule: boolean; byTenant: boolean }>`
    select c.relname as name, bool_or(a.attname = 'schedule_id') as "bySchedule", bool_or(a.attname = 'tenant') as "byTenant"
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attname in ('schedule_id', 'tenant') and not a.attisdropped
    where n.nspname = ${store.schema} and c.relkind = 'r' group by c.relname order by c.relname`.execute(store.db);
  const months = rows.map(({ name }) => ({ name, month: /^(?:archived_)?firings_(\d+)/.exec(name)?.[1] }));
  return rows
    .map((row, at) => ({
      ...row,
      kind: kindOf(row.name),
      later: months.filter(({ month }, i) => i > at && month && month === months[at]!.month).map(({ name }) => name),
    }))
    .filter(({ name }) => !LAST.includes(name))
    .sort((a, b) => Number(a.name === 'tenant_hours') - Number(b.name === 'tenant_hours'));
}

/**
 * Run work on one connection of a store. No month is retired meanwhile, so the tables of months keep their names.
 * Several processes may run such work at once.
 */
export async function whileNoneRetires<Result>(
  opened: Store,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  return opened.db.connection().execute(async (connection) => {
    const store = storeOn(connection, opened.schema);
    // The function `retire_partition` takes the same lock.
    const key = advisoryKey(store, 'retire');
    await untilUnlocked(() => sql`select pg_advisory_lock_shared(${key})`.execute(store.db));
    try {
      return await work(store);
    } finally {
      // A lost session has no lock. Its error would hide the one that the caller must see.
      await sql`select pg_advisory_unlock_shared(${key})`.execute(store.db).catch(() => undefined);
    }
  });
}

function kindOf(table: string): string {
  if (/(^|_)firings_\d/.test(table)) return 'firings';
  return table === 'dead_letters' ? 'letters' : table;
}

const PAGE = 1_000;

/** Rows to erase: those of a table, with the alias `x`, that match a condition. */
export interface PersonalRows {
  kind: string;
  table: string;
  condition: RawBuilder<unknown>;
  /** The new values of columns, if the rows stay and only these columns lose their content. */
  emptied?: RawBuilder<unknown>;
  /** Later tables that may have copies of these firings. */
  later?: string[];
}

/**
 * Erases rows in batches, each in its own transaction. Alerts are erased together with their messages. @returns counts
 * by kind
 */
export async function eraseKind(store: Store, rows: PersonalRows): Promise<Record<string, number>> {
  if (rows.table === 'alerts') return deleteAlerts(store, rows.condition);
  // A restored firing was counted once, and is subtracted with its last copy. If a firing of the same time is no copy,
  // but was fired again, it was claimed later, and was counted too.
  let copies = 0;
  for (const later of rows.later ?? []) {
    const isCopied = sql`exists (select from only ${sql.id(store.schema, later)} l
      where (l.schedule_id, l.scheduled_time, l.claimed_at) = (x.schedule_id, x.scheduled_time, x.claimed_at))`;
    const copied = { ...rows, condition: sql`${rows.condition} and ${isCopied}` };
    copies += await deletePages(store, copied, { areCounted: false });
  }
  return { [rows.kind]: copies + (await deletePages(store, rows)) };
}

export async function countKind(store: Store, rows: PersonalRows): Promise<Record<string, number>> {
  const counts = { [rows.kind]: await countRows(store, rows) };
  if (rows.table !== 'alerts') return counts;
  const alerts = sql`select x.alert_id from ${store.table('alerts')} x where ${rows.condition}`;
  const messages = { kind: 'alert_messages', table: 'alert_messages', condition: sql`x.alert_id in (${alerts})` };
  return { ...counts, alert_messages: await countRows(store, messages) };
}

/**
 * Delete or empty the rows of a table that match a condition. Rows in tables that inherit from it stay. A row that
 * somebody has locked is waited for, however long: nobody waits for the deleted schedules meanwhile.
 */
async function deletePages(
  store: Store,
  { table, condition, emptied }: PersonalRows,
  { areCounted = true } = {},
): Promise<number> {
  const name = sql.id(store.schema, table);
  const erase = emptied ? sql`update only ${name} set ${emptied}` : sql`delete from only ${name}`;
  for (let deleted = 0; ; ) {
    const page = sql<{ found: number; gone: number }>`
      with found as materialized (select ctid from only ${name} x where ${condition} limit ${PAGE}),
        gone as (${erase} where ctid = any (array(select ctid from found)) returning 1)
      select (select count(*) from found)::int as found, (select count(*) from gone)::int as gone`;
    const { rows } = await transact(store, async (transaction) => {
      if (!areCounted) await sql`select set_config('escapement.counted', 'yes', true)`.execute(transaction.db);
      return withLockTimeout(transaction, '0', () => page.execute(transaction.db));
    });
    const { found, gone } = rows[0]!;
    deleted += gone;
    // A row that another transaction changes meanwhile is found and not deleted. The next statement finds it again.
    if (found < PAGE && gone === found) return deleted;
  }
}

/**
 * Delete the alerts that match a condition, and their messages. No alert pass runs meanwhile, since it could write
 * messages about alerts that are already gone: by their IDs alone, nobody would find these messages again. While
 * another session has locked a row, alert passes run between the attempts, but fail if that row is an open alert.
 */
async function deleteAlerts(store: Store, condition: RawBuilder<unknown>): Promise<Record<string, number>> {
  const counts = { alerts: 0, alert_messages: 0 };
  for (;;) {
    const page = sql<{ alerts: number; messages: number }>`
      with gone as (delete from ${store.table('alerts')} where alert_id = any (array(
          select x.alert_id from ${store.table('alerts')} x where ${condition} limit ${PAGE})) returning alert_id),
        untold as (delete from ${store.table('alert_messages')} where alert_id in (select alert_id from gone) returning 1)
      select (select count(*) from gone)::int as alerts, (select count(*) from untold)::int as messages`;
    const { rows } = await untilUnlocked(() =>
      transact(store, async (transaction) => {
        await waitForTurn(transaction);
        return page.execute(transaction.db);
      }),
    );
    const { alerts, messages } = rows[0]!;
    counts.alerts += alerts;
    counts.alert_messages += messages;
    if (alerts < PAGE) return counts;
  }
}

async function countRows(store: Store, { table, condition }: PersonalRows): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::float8 as count from only ${sql.id(store.schema, table)} x where ${condition}`.execute(store.db);
  return rows[0]!.count;
}

export function addCounts(counts: Record<string, number>, more: Record<string, number>): void {
  for (const [kind, count] of Object.entries(more)) if (count > 0) counts[kind] = (counts[kind] ?? 0) + count;
}
