import { type RawBuilder, sql } from 'kysely';
import type { AlertRules } from '../core/alert-rules';
import { DEFAULTS } from '../core/defaults';
import type { Store } from './connection';

/** What all triggers of a ledger agree on, in milliseconds. */
export interface LedgerSettings {
  /** A trigger whose heartbeat is older than this is dead. */
  staleAfterMilliseconds: number;
  /** How long firings are kept; infinity keeps them for ever. */
  retentionMilliseconds: number;
  /** Whether months past retention stay until `escapement archive` has written them. */
  archiveFirst: boolean;
  /** When alerts open of schedules that say nothing else: what differs from the defaults. */
  alerts: AlertRules;
}

/** As `meta` holds them: what nobody has set is not there, and null is for ever. */
export interface StoredSettings {
  staleAfterMilliseconds?: number;
  retentionMilliseconds?: number | null;
  archiveFirst?: boolean;
  alerts?: AlertRules;
}

/** What is in force where this is set. */
export function settingsOf(stored: StoredSettings): LedgerSettings {
  const { staleAfterMilliseconds, retentionMilliseconds, archiveFirst, alerts } = stored;
  const { ledger } = DEFAULTS;
  return {
    staleAfterMilliseconds: staleAfterMilliseconds ?? ledger.staleAfterMilliseconds,
    retentionMilliseconds:
      retentionMilliseconds === null
        ? Number.POSITIVE_INFINITY
        : (retentionMilliseconds ?? ledger.retentionMilliseconds),
    archiveFirst: archiveFirst ?? false,
    alerts: alerts ?? {},
  };
}

/** The row of `meta` that holds them, as a column. */
export function settingsColumn(store: Store): RawBuilder<StoredSettings> {
  return sql`coalesce((select value from ${store.table('meta')} where key = 'settings'), '{}')`;
}

/** The instant before which a heartbeat is too old. `now` unset reckons by the database's clock. */
export function staleBefore(store: Store, now: Date | undefined): RawBuilder<Date> {
  return sql`(coalesce(${now ?? null}::timestamptz, clock_timestamp()) - interval '1 millisecond' *
    coalesce((${settingsColumn(store)} ->> 'staleAfterMilliseconds')::float8, ${DEFAULTS.ledger.staleAfterMilliseconds}))`;
}

export async function readSettings(store: Store): Promise<LedgerSettings> {
  const { rows } = await sql<{ settings: StoredSettings }>`select ${settingsColumn(store)} as settings`.execute(
    store.db,
  );
  return settingsOf(rows[0]!.settings);
}

/** Change what is named, and leave the rest. */
export async function writeSettings(store: Store, settings: Partial<LedgerSettings>): Promise<void> {
  // JSON has no infinity: it becomes null.
  const changed = JSON.stringify(settings);
  await sql`insert into ${store.table('meta')} as m (key, value) values ('settings', ${changed}::jsonb)
    on conflict (key) do update set value = m.value || excluded.value`.execute(store.db);
}
