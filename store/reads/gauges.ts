import { type RawBuilder, sql } from 'kysely';
import { COUNTED_AT_MOST } from '../../core/counted';
import type { Store } from '../connection';
import { IS_WAITING } from '../firings/waiting';

export interface LedgerGauges {
  now: Date;
  /** The number of due schedules, and since when the first is due; counted up to 100,000. */
  due: number;
  dueSince: Date | null;
  /** The number of firings that wait for their start, counted up to 100,000, and when the first of these may start. */
  waiting: number;
  waitingSince: Date | null;
  /** The number of firings whose chain runs; counted up to 100,000. */
  running: number;
  letters: { kind: string; open: number; oldestAt: Date }[];
  /** Null if this role may not read `alerts`. */
  alerts: { condition: string; open: number }[] | null;
  /** Null if this role may not read `leases`. */
  leases: number | null;
  triggers: number;
}

/**
 * The statement compares all times with the instant at which it began, since Postgres cannot use an index for a
 * function such as `clock_timestamp()`.
 */
export async function readGauges(store: Store, { staleAfterMilliseconds }: { staleAfterMilliseconds: number }) {
  const counted = (rows: RawBuilder<unknown>) =>
    sql`(select count(*)::int as count, min(at) as since from (${rows} limit ${COUNTED_AT_MOST}) x)`;
  const due = counted(
    sql`select wake_at as at from ${store.table('timers')} where wake_at <= statement_timestamp() order by wake_at`,
  );
  const waiting = counted(sql`select ready_at as at from ${store.table('firings')} f where ${IS_WAITING}`);
  const running = counted(
    sql`select null::timestamptz as at from ${store.table('firings')} f where f.state = 'linked'`,
  );
  const may = await readableOf(store);
  const alerts = sql`(select coalesce(jsonb_agg(jsonb_build_object('condition', condition, 'open', open)), '[]') from (
        select condition, count(*)::int as open from ${store.table('alerts')}
        where resolved_at is null group by condition) a)`;
  const leases = sql`(select count(*)::int from ${store.table('leases')} where expires_at > statement_timestamp())`;
  const { rows } = await sql<
    Omit<LedgerGauges, 'letters'> & { letters: { kind: string; open: number; oldestAt: string }[] }
  >`
    select statement_timestamp() as now, due.count as due, due.since as "dueSince",
      waiting.count as waiting, waiting.since as "waitingSince", running.count as running,
      (select coalesce(jsonb_agg(jsonb_build_object('kind', kind, 'open', open, 'oldestAt', oldest)), '[]') from (
        select kind, count(*)::int as open, min(created_at) as oldest from ${store.table('dead_letters')}
        where state = 'open' group by kind) l) as letters,
      ${may.alerts ? alerts : sql`null::jsonb`} as alerts, ${may.leases ? leases : sql`null::int`} as leases,
      (select count(*)::int from ${store.table('triggers')}
        where heartbeat_at > statement_timestamp() - ${staleAfterMilliseconds} * interval '1 millisecond') as triggers
    from ${due} due, ${waiting} waiting, ${running} running`.execute(store.db);
  const [row] = rows;
  const letters = row!.letters.map((letter) => ({ ...letter, oldestAt: new Date(letter.oldestAt) }));
  return { ...row!, letters } satisfies LedgerGauges;
}

/** A trigger's role may lack these rights, and Postgres refuses a whole statement that names a table without them. */
async function readableOf(store: Store): Promise<{ alerts: boolean | null; leases: boolean | null }> {
  const may = (table: string) => sql`has_table_privilege(to_regclass(${`${store.schema}.${table}`}), 'select')`;
  const { rows } = await sql<{ alerts: boolean | null; leases: boolean | null }>`
    select ${may('alerts')} as alerts, ${may('leases')} as leases`.execute(store.db);
  return rows[0]!;
}
