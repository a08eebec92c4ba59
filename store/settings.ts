import { type RawBuilder, sql } from 'kysely';
import type { AlertRules } from '../core/alert-rules';
import { DEFAULTS } from '../core/defaults';
import { isRecord } from '../core/definition/stored-definition';
import type { Store } from './connection';
import { amountIn, LONGEST_AMOUNT } from './text';

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

/** What is in force if the stored settings are no object: the retention deletes nothing. */
const UNREADABLE = { retentionMilliseconds: null, archiveFirst: true };

/**
 * The settings in force. As `meta` stores them, a setting that was never set is missing, and infinity is null. A value
 * that this version cannot read gets its default, unless the default could delete data. So with an unreadable retention
 * every month is kept, and with an unreadable `archiveFirst` no month is dropped before it is archived.
 */
export function settingsOf(stored: unknown): LedgerSettings {
  const { ledger } = DEFAULTS;
  const settings = isRecord(stored) ? stored : UNREADABLE;
  const { staleAfterMilliseconds, retentionMilliseconds, archiveFirst, alerts }: Record<string, unknown> = settings;
  return {
    staleAfterMilliseconds: isAmount(staleAfterMilliseconds)
      ? Math.min(Math.max(staleAfterMilliseconds, 1), LONGEST_AMOUNT)
      : ledger.staleAfterMilliseconds,
    retentionMilliseconds:
      retentionMilliseconds === undefined
        ? ledger.retentionMilliseconds
        : isAmount(retentionMilliseconds)
          ? retentionMilliseconds
          : Number.POSITIVE_INFINITY,
    archiveFirst: typeof archiveFirst === 'boolean' ? archiveFirst : archiveFirst !== undefined,
    alerts: isRecord(alerts) ? (alerts as AlertRules) : {},
  };
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

export function settingsColumn(store: Store): RawBuilder<unknown> {
  return sql`coalesce((select value from ${store.table('meta')} where key = 'settings'), '{}')`;
}

/** How old the last heartbeat of a trigger becomes before the trigger counts as dead, as an interval. */
export function staleAfter(store: Store): RawBuilder<unknown> {
  return sql`interval '1 millisecond' * (select coalesce(${amountIn(sql`s.settings`, 'staleAfterMilliseconds')},
    ${DEFAULTS.ledger.staleAfterMilliseconds}) from (select ${settingsColumn(store)} as settings) s)`;
}

/**
 * A trigger whose last heartbeat is older than this instant counts as dead. If `now` is undefined, the database's clock
 * counts.
 */
export function staleBefore(store: Store, now: Date | undefined): RawBuilder<Date> {
  return sql`(coalesce(${now ?? null}::timestamptz, clock_timestamp()) - ${staleAfter(store)})`;
}

export async function readSettings(store: Store): Promise<LedgerSettings> {
  const { rows } = await sql<{ settings: unknown }>`select ${settingsColumn(store)} as settings`.execute(store.db);
  return settingsOf(rows[0]!.settings);
}

export async function writeSettings(store: Store, settings: Partial<LedgerSettings>): Promise<void> {
  // `JSON.stringify` writes infinity as null.
  const changed = JSON.stringify(settings);
  await sql`insert into ${store.table('meta')} as m (key, value) values ('settings', ${changed}::jsonb)
    on conflict (key) do update set value = case jsonb_typeof(m.value) when 'object' then m.value
      else ${JSON.stringify(UNREADABLE)}::jsonb end || excluded.value`.execute(store.db);
}
