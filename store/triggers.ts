import { sql } from 'kysely';
import { SCHEMA_VERSION } from '../migrations/record';
import type { Store } from './connection';
import { type Incarnation, incarnationColumns } from './incarnation';
import type { SchemaState } from './meta';
import { type StoredSettings, settingsColumn, staleBefore } from './settings';
import type { AwayNamespace, FullCap, StartCap, TriggerProblem } from './table-values';

/** What a trigger says of itself in its row. */
export interface TriggerIdentity {
  /** Name of the machine that it runs on. */
  host: string;
  /** Of the package. */
  version: string;
  /** Version of the time zone data that occurrences are computed by, such as `2025b`; null where unknown. */
  tz: string | null;
  /** Version of the ICU that has that data; null where unknown. */
  icu: string | null;
}

/** What a trigger learns with its sign of life. */
export interface HeartbeatAnswer extends Incarnation {
  /** By the database's clock. */
  now: Date;
  /** How many triggers are alive, this one included. */
  alive: number;
  /** Of those alive, hosts whose time zone data is another, with its version. */
  otherZoneData: { host: string; tz: string }[];
  schema: SchemaState;
  settings: StoredSettings;
  /** How often it was recorded that Postgres had been away for long. */
  outages: number;
}

/** Say that a trigger is alive, and read what it must know. `now` unset goes by the database's clock. */
export async function recordHeartbeat(
  store: Store,
  trigger: TriggerIdentity & {
    id: string;
    now: Date | undefined;
    away: AwayNamespace[];
    caps: FullCap[];
    problems: TriggerProblem[];
    startCaps: StartCap[];
  },
): Promise<HeartbeatAnswer> {
  const triggers = store.table('triggers');
  const othersAlive = sql`${triggers} t where t.id <> ${trigger.id}
    and t.heartbeat_at > ${staleBefore(store, trigger.now)}`;
  const { rows } = await sql<HeartbeatAnswer>`
    insert into ${triggers} as own (id, host, version, heartbeat_at, schema_version, tz, icu, away, caps, problems, start_caps)
    values (${trigger.id}, ${trigger.host}, ${trigger.version}, coalesce(${trigger.now ?? null}::timestamptz, clock_timestamp()),
      ${SCHEMA_VERSION}, ${trigger.tz}, ${trigger.icu},
      ${JSON.stringify(trigger.away)}::jsonb, ${JSON.stringify(trigger.caps)}::jsonb,
      ${JSON.stringify(trigger.problems)}::jsonb, ${JSON.stringify(trigger.startCaps)}::jsonb)
    on conflict (id) do update set heartbeat_at = excluded.heartbeat_at, away = excluded.away, caps = excluded.caps,
      problems = excluded.problems, start_caps = excluded.start_caps
    returning clock_timestamp() as now, 1 + (select count(*)::int from ${othersAlive}) as alive,
      (select coalesce(jsonb_agg(distinct jsonb_build_object('host', t.host, 'tz', t.tz)), '[]') from ${othersAlive}
        and t.tz <> own.tz) as "otherZoneData",
      (select value from ${store.table('meta')} where key = 'schema') as schema, ${settingsColumn(store)} as settings,
      coalesce((select (value #>> '{}')::int from ${store.table('meta')} where key = 'outages'), 0) as outages,
      ${incarnationColumns(store)}`.execute(store.db);
  return rows[0]!;
}

/** A trigger that is alive, as people are told of it. */
export interface AliveTrigger extends TriggerIdentity {
  /** UUID of the process: `firings.owner` of its claims. */
  id: string;
  /** Its last sign of life. */
  heartbeatAt: Date;
  /** Version of the schema that it is made for. */
  schemaVersion: number;
  /** Its caps on starts a second, which all triggers share; null where its version does not say. */
  startCaps: StartCap[] | null;
  /** Of these, the ones that hold starts back, `since` when (ISO 8601). */
  fullCaps: FullCap[];
}

/** Schema version of the last program that did not write its own. */
const LAST_WITHOUT_VERSION = 9;

/**
 * Triggers with a sign of life that is not stale: the oldest program first. `now` unset reckons by the database's clock. On an
 * older schema too.
 */
export async function readAliveTriggers(store: Store, now?: Date): Promise<AliveTrigger[]> {
  const { rows } = await sql<AliveTrigger>`
    select id, host, version, heartbeat_at as "heartbeatAt", own ->> 'tz' as tz, own ->> 'icu' as icu,
      coalesce((own ->> 'schema_version')::int, ${LAST_WITHOUT_VERSION}) as "schemaVersion",
      nullif(own -> 'start_caps', 'null') as "startCaps", coalesce(nullif(own -> 'caps', 'null'), '[]') as "fullCaps"
    from ${store.table('triggers')} t cross join lateral to_jsonb(t) own
    where heartbeat_at > ${staleBefore(store, now)}
    order by "schemaVersion", host, id`.execute(store.db);
  return rows;
}

/**
 * Sign a trigger off that stopped in order.
 *
 * @returns whether another trigger of a program that knows waiting rows is alive
 */
export async function signOff(store: Store, id: string, staleBefore: Date): Promise<boolean> {
  const { rows } = await sql<{ others: boolean }>`
    with gone as (delete from ${store.table('triggers')} where id = ${id})
    select exists (select from ${store.table('triggers')}
      where id <> ${id} and heartbeat_at >= ${staleBefore} and schema_version >= ${FIRST_WITH_WAITING}) as others`.execute(
    store.db,
  );
  return rows[0]!.others;
}

/** Schema version of the first program whose claims belong to nobody until they are announced. */
const FIRST_WITH_WAITING = 23;
