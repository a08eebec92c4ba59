import { type RawBuilder, sql } from 'kysely';
import { SCHEMA_VERSION } from '../migrations/record';
import { aliveSince, noteAliveSince } from './alerts/alive-since';
import type { Store } from './connection';
import { type Incarnation, incarnationColumns, isExpected } from './incarnation';
import type { SchemaState } from './meta';
import { otherDatabase } from './postgres-errors';
import { settingsColumn, staleBefore } from './settings';
import type { AwayNamespace, FullCap, StartCap, TriggerProblem } from './table-values';
import { arrayOf } from './text';

export interface TriggerIdentity {
  /** The name of the trigger's host. */
  host: string;
  /** The version of the package that the trigger runs. */
  version: string;
  /** The version of the time zone data by which the trigger computes occurrences, such as `2025b`; null if unknown. */
  tz: string | null;
  /** The version of ICU, which contains the time zone data; null if unknown. */
  icu: string | null;
}

export interface HeartbeatAnswer extends Incarnation {
  /** The current time by the database's clock. */
  now: Date;
  /** How many triggers are alive, this one included. */
  alive: number;
  /** Hosts of live triggers that use another version of the time zone data, with that version. */
  otherZoneData: { host: string; tz: string }[];
  schema: SchemaState;
  settings: unknown;
  /** How many long outages of Postgres were recorded. */
  outages: number;
  /** Since when triggers are alive; null if nothing is noted. */
  aliveSince: Date | null;
}

/**
 * If `now` is undefined, the database's clock counts. `expected` is the incarnation of the only database to which the
 * heartbeat may be written. Otherwise the last surviving heartbeat would no longer show what a restored backup lacks.
 *
 * @throws {PostgresUnreachableError} if the database is another one
 */
export async function recordHeartbeat(
  store: Store,
  trigger: TriggerIdentity & {
    id: string;
    now: Date | undefined;
    away: AwayNamespace[];
    caps: FullCap[];
    problems: TriggerProblem[];
    startCaps: StartCap[];
    expected?: string | undefined;
  },
): Promise<HeartbeatAnswer> {
  const triggers = store.table('triggers');
  const ours = isExpected(store, trigger.expected);
  const othersAlive = sql`${triggers} t where t.id <> ${trigger.id}
    and t.heartbeat_at > ${staleBefore(store, trigger.now)}`;
  const { rows } = await sql<HeartbeatAnswer>`
    with alive as (${noteAliveSince(store, trigger.now, ours)})
    insert into ${triggers} as own (id, host, version, heartbeat_at, schema_version, tz, icu, away, caps, problems, start_caps)
    select ${trigger.id}::uuid, ${trigger.host}, ${trigger.version}, coalesce(${trigger.now ?? null}::timestamptz, clock_timestamp()),
      ${SCHEMA_VERSION}::int, ${trigger.tz}, ${trigger.icu},
      ${JSON.stringify(trigger.away)}::jsonb, ${JSON.stringify(trigger.caps)}::jsonb,
      ${JSON.stringify(trigger.problems)}::jsonb, ${JSON.stringify(trigger.startCaps)}::jsonb
    where ${ours}
    on conflict (id) do update set heartbeat_at = excluded.heartbeat_at, away = excluded.away, caps = excluded.caps,
      problems = excluded.problems, start_caps = excluded.start_caps
    returning clock_timestamp() as now, 1 + (select count(*)::int from ${othersAlive}) as alive,
      (select coalesce(jsonb_agg(distinct jsonb_build_object('host', t.host, 'tz', t.tz)), '[]') from ${othersAlive}
        and t.tz <> own.tz) as "otherZoneData",
      (select value from ${store.table('meta')} where key = 'schema') as schema, ${settingsColumn(store)} as settings,
      coalesce((select case jsonb_typeof(value) when 'number' then least(value::numeric, 1000000000)::int end from ${store.table('meta')} where key = 'outages'), 0) as outages,
      coalesce((select alive.at from alive), ${aliveSince(store, 'at')}) as "aliveSince",
      ${incarnationColumns(store)}`.execute(store.db);
  if (!rows[0]) throw otherDatabase();
  return rows[0];
}

/** What live triggers report about a namespace that refuses one of these triggers. */
export interface Reach {
  namespace: string;
  /** Whether a trigger may start firings there, now or after an outage: the namespace does not refuse it. */
  isOpen: boolean;
  /**
   * Whether the namespace may exist for a trigger: the trigger has a server to call, and that server has not answered
   * `NOT_FOUND`.
   */
  isKnown: boolean;
}

/**
 * What live triggers report of these namespaces. A trigger whose row has no report does not count: its version starts no
 * waiting firings.
 *
 * @param unanswered the gRPC statuses of calls that got no answer
 */
export async function readReach(
  store: Store,
  namespaces: string[],
  { now, unanswered }: { now: Date; unanswered: string[] },
): Promise<Reach[]> {
  const some = (status: RawBuilder<unknown>) => sql<boolean>`exists (select from ${store.table('triggers')} t
    where t.heartbeat_at > ${staleBefore(store, now)} and t.away is not null
      and not exists (select from jsonb_array_elements(${arrayOf(sql`t.away`)}) a where a ->> 'namespace' = x.namespace and ${status}))`;
  const { rows } = await sql<Reach>`
    select x.namespace, ${some(sql`a ->> 'status' <> all(${unanswered}::text[])`)} as "isOpen",
      ${some(sql`a ->> 'status' in ('NOT_FOUND', 'NO_CONNECTION')`)} as "isKnown"
    from unnest(${namespaces}::text[]) x (namespace)`.execute(store.db);
  return rows;
}

/** A live trigger, as commands and the API show it. */
export interface AliveTrigger extends TriggerIdentity {
  /** The UUID of the trigger, which `firings.owner` has for the firings that it starts. */
  id: string;
  /** When the trigger last sent a heartbeat. */
  heartbeatAt: Date;
  /** The schema version for which the trigger was built. */
  schemaVersion: number;
  /**
   * The trigger's caps on starts per second, which limit all triggers together; null if its version does not report
   * them.
   */
  startCaps: StartCap[] | null;
  /** The caps that held starts back at the last heartbeat. */
  fullCaps: FullCap[];
}

/** The schema version of the last program that did not record its own schema version. */
const LAST_WITHOUT_VERSION = 9;

/**
 * Triggers with a recent heartbeat; the trigger with the oldest program comes first. If `now` is undefined, the
 * database's clock counts. Columns that an older schema may lack are read through JSON.
 */
export async function readAliveTriggers(store: Store, now?: Date): Promise<AliveTrigger[]> {
  const { rows } = await sql<AliveTrigger>`
    select id, host, version, heartbeat_at as "heartbeatAt", own ->> 'tz' as tz, own ->> 'icu' as icu,
      coalesce((own ->> 'schema_version')::int, ${LAST_WITHOUT_VERSION}) as "schemaVersion",
      case jsonb_typeof(own -> 'start_caps') when 'array' then own -> 'start_caps' end as "startCaps", ${arrayOf(sql`own -> 'caps'`)} as "fullCaps"
    from ${store.table('triggers')} t cross join lateral to_jsonb(t) own
    where heartbeat_at > ${staleBefore(store, now)}
    order by "schemaVersion", host, id`.execute(store.db);
  return rows;
}

/**
 * Delete the trigger's row. Returns whether another live trigger knows waiting rows: claims that belong to no trigger.
 * The others are read afterwards, so that of triggers that sign off at once, the last one finds none.
 */
export async function signOff(store: Store, id: string, staleBefore: Date): Promise<boolean> {
  await sql`delete from ${store.table('triggers')} where id = ${id}`.execute(store.db);
  const { rows } = await sql<{ others: boolean }>`
    select exists (select from ${store.table('triggers')}
      where heartbeat_at >= ${staleBefore} and schema_version >= ${FIRST_WITH_WAITING}) as others`.execute(store.db);
  return rows[0]!.others;
}

/** The schema version of the first program whose claims belong to no trigger until they are announced. */
const FIRST_WITH_WAITING = 23;
