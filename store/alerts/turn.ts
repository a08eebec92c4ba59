import { sql } from 'kysely';
import type { Store } from '../connection';
import { withLockTimeout } from '../join';
import { instantIn, objectOf } from '../text';
import { aliveSince } from './alive-since';
import type { Places } from './pages';

export interface Turn {
  /**
   * The instant up to which the last alert pass has read the ledger; `now` at the very first pass, or if the clock was
   * set back since, or if the stored value is damaged.
   */
  readTo: Date;
  /** When the last alert pass ended; null if that is unknown. A pass may take minutes while Postgres is slow. */
  endedAt: Date | null;
  /** False if the stored value is damaged, so that nobody knows how far the last alert pass has read. */
  isReadToKnown: boolean;
  /** Since when triggers were alive before the last time without one; null if nothing is noted. */
  formerlyAliveSince: Date | null;
  installationId: string;
  places: Places;
}

const READ_TO = instantIn(sql`value`, 'readTo');

/**
 * The turn lasts until the transaction ends. Returns undefined while another trigger raises alerts, or a purge erases
 * some.
 */
export async function takeTurn(store: Store, now: Date): Promise<Turn | undefined> {
  const meta = store.table('meta');
  await sql`insert into ${meta} (key, value) select 'alerts', jsonb_build_object('readTo', ${now.toISOString()}::text)
    where not exists (select from ${meta} where key = 'alerts') on conflict do nothing`.execute(store.db);
  const { rows } =
    await sql<Turn>`select least(${READ_TO}, ${now}) as "readTo", ${READ_TO} is not null as "isReadToKnown",
      least(${instantIn(sql`value`, 'endedAt')}, ${now}) as "endedAt",
      ${objectOf(sql`value -> 'places'`)} as places,
      (select value #>> '{}' from ${meta} where key = 'installation') as "installationId",
      ${aliveSince(store, 'before')} as "formerlyAliveSince"
    from ${meta} where key = 'alerts' for update skip locked`.execute(store.db);
  return rows[0];
}

/**
 * Wait until no trigger raises alerts, and let none raise alerts until the transaction ends. An alert pass over a large
 * ledger may take longer than the usual wait for a lock.
 */
export async function waitForTurn(store: Store): Promise<void> {
  const turn = sql`select from ${store.table('meta')} where key = 'alerts' for update`;
  await withLockTimeout(store, '0', () => turn.execute(store.db));
}

/** What triggers had recorded by the time the last one died. */
export interface LastPass {
  installationId: string;
  /** The instant up to which the last alert pass has read the ledger; null if there was none. */
  readTo: Date | null;
  /** When the last period with live triggers began; null if nothing is recorded. */
  aliveSince: Date | null;
}

export async function readLastPass(store: Store): Promise<LastPass> {
  const meta = store.table('meta');
  const { rows } = await sql<LastPass>`
    select value #>> '{}' as "installationId", ${aliveSince(store, 'at')} as "aliveSince",
      (select ${READ_TO} from ${meta} where key = 'alerts') as "readTo"
    from ${meta} where key = 'installation'`.execute(store.db);
  return rows[0]!;
}

/** Record that the ledger's rows from before `now` have been read, except the pages behind `places`. */
export async function endTurn(
  store: Store,
  { now, endedAt, places }: { now: Date; endedAt: Date; places: Places },
): Promise<void> {
  const value = JSON.stringify({ readTo: now, endedAt, places });
  await sql`update ${store.table('meta')} set value = ${value}::jsonb where key = 'alerts'`.execute(store.db);
}
