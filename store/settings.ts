import { type RawBuilder, sql } from 'kysely';
import type { AlertRules } from '../core/alert-rules';
import { DEFAULTS } from '../core/defaults';
import type { Store } from './connection';

/** The settings that all triggers of a ledger share. */
export interface LedgerSettings {
  /** A trigger counts as dead once its last heartbeat is this old. */
  staleAfterMilliseconds: number;
  /** How long firings are kept at least; infinity keeps them for ever. */
  retentionMilliseconds: number;
  /** Whether months that are past retention stay until `escapement archive` has archived them. */
  archiveFirst: boolean;
  /**
   * The alert rules that differ from the defaults. Each applies to the schedules that do not set this rule themselves.
   */
  alerts: AlertRules;
}

/** The settings as `meta` stores them: a setting that was never set is missing, and infinity is null. */
export interface StoredSettings {
  staleAfterMilliseconds?: number;
  retentionMilliseconds?: number | null;
  archiveFirst?: boolean;
  alerts?: AlertRules;
}

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

export function settingsColumn(store: Store): RawBuilder<StoredSettings> {
  return sql`coalesce((select value from ${store.table('meta')} where key = 'settings'), '{}')`;
}

/** How old the last heartbeat of a trigger becomes before the trigger counts as dead, as an interval. */
export function staleAfter(store: Store): RawBuilder<unknown> {
  return sql`interval '1 millisecond' *
    coalesce((${settingsColumn(store)} ->> 'staleAfterMilliseconds')::float8, ${DEFAULTS.ledger.staleAfterMilliseconds})`;
}

/**
 * A trigger whose last heartbeat is older than this instant counts as dead. If `now` is undefined, the database's clock
 * counts.
 */
export function staleBefore(store: Store, now: Date | undefined): RawBuilder<Date> {
  return sql`(coalesce(${now ?? null}::timestamptz, clock_timestamp()) - ${staleAfter(store)})`;
}

export async function readSettings(store: Store): Promise<LedgerSettings> {
  const { rows } = await sql<{ settings: StoredSettings }>`select ${settingsColumn(store)} as settings`.execute(
    store.db,
  );
  return settingsOf(rows[0]!.settings);
}

export async function writeSettings(store: Store, settings: Partial<LedgerSettings>): Promise<void> {
  // `JSON.stringify` writes infinity as null.
  const changed = JSON.stringify(settings);
  await sql`insert into ${store.table('meta')} as m (key, value) values ('settings', ${changed}::jsonb)
    on conflict (key) do update set value = m.value || excluded.value`.execute(store.db);
}
