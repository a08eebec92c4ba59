import { setTimeout } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../store/connection';

interface Holder {
  pid: number;
  /** The session's user, program and state, as far as this role may see them. */
  who: string;
  since: Date | null;
  /** The tables of the ledger that the session has locked. */
  tables: string | null;
}

/** The same holders are reported again after this time. */
const REPEAT_MILLISECONDS = 60_000;
const POLL_PAUSE_MILLISECONDS = 1_000;

/** Reports which sessions block a migration, so that the person who runs it knows what to wait for or to end. */
export class Holders {
  #saidText = '';
  #saidAt = 0;

  constructor(
    /** A store on the connection that migrates. */
    private readonly store: Store,
    private readonly pool: Store,
    /** The server process of that connection. */
    private readonly pid: number,
    private readonly onProgress: (sentence: string) => void,
  ) {}

  /**
   * After a wait for a lock has timed out, report who may hold the lock: sessions that have locked tables of the
   * ledger, in a transaction older than a tenth of a second.
   */
  async sayAfterTimeout(): Promise<void> {
    const openForLong = sql`coalesce(a.xact_start < clock_timestamp() - interval '100 milliseconds', true)`;
    const holders = await this.#read(this.store, sql`l.tables is not null and ${openForLong}`);
    this.#say(holders, 'a lock, which one of these may hold: ', 'the lock is free');
  }

  /** While a statement outside a transaction waits, report which session blocks it. */
  async during(statement: () => Promise<unknown>): Promise<void> {
    const over = new AbortController();
    void this.#watch(over.signal);
    try {
      await statement();
    } finally {
      over.abort();
    }
  }

  async #watch(over: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await setTimeout(POLL_PAUSE_MILLISECONDS, undefined, { signal: over });
        // If the pool has only one connection, this read is answered only when the statement is over.
        const holders = await this.#read(this.pool, sql`a.pid = any(pg_blocking_pids(${this.pid}))`);
        if (!over.aborted) this.#say(holders, '', 'that transaction ends');
      }
    } catch {
      // The statement is over, or the read failed, which does not matter to the migration.
    }
  }

  async #read(on: Store, which: RawBuilder<unknown>): Promise<Holder[]> {
    const { rows } = await sql<Holder>`
      select a.pid, a.xact_start as since, l.tables,
        concat_ws(', ', a.usename, nullif(a.application_name, ''), nullif(a.backend_type, 'client backend'), a.state) as who
      from pg_stat_activity a cross join lateral (
        select string_agg(distinct c.relname, ', ' order by c.relname) as tables
        from pg_locks k join pg_class c on c.oid = k.relation
        where k.pid = a.pid and k.granted and c.relkind in ('r', 'p', 'v')
          and c.relnamespace = to_regnamespace(${this.store.schema})) l
      where a.datname = current_database() and a.pid <> ${this.pid} and ${which}
      order by a.xact_start nulls last, a.pid`.execute(on.db);
    return rows;
  }

  #say(holders: Holder[], which: string, until: string): void {
    const text = holders.map(textOf).join('; ');
    const again = performance.now() - this.#saidAt >= REPEAT_MILLISECONDS;
    if (text === '' || (text === this.#saidText && !again)) return;
    this.#saidText = text;
    this.#saidAt = performance.now();
    this.onProgress(`Waiting for ${which}${text}. Triggers continue meanwhile; the migration continues when ${until}.`);
  }
}

function textOf({ pid, who, since, tables }: Holder): string {
  const details = since ? `${who}, since ${since.toISOString()}` : who;
  return `process ${pid} (${details})${tables ? ` on ${tables}` : ''}`;
}
