import { sql } from 'kysely';
import type { Store } from '../connection';

/**
 * How far the runs that may have parked something are asked for their letters, after a failover that may have lost
 * some.
 */
export interface ParkedRound {
  /** The database that was adopted. */
  incarnation: string;
  /** An instant before which nothing was lost, ISO 8601. */
  since: string;
  /** Runs are asked at once, and again when workflows that Temporal listed late are adopted too. */
  name: 'at once' | 'again';
  /** From when on they may be asked again, ISO 8601. The instant distinguishes rounds about the same copy. */
  againAt: string;
  /** Whether all were asked; the first round then waits for the next. */
  isDone: boolean;
  /** For each namespace that was begun: where its list continues, or true once all of it was asked. */
  places: Record<string, string | true>;
}

/** Namespaces in which runs could not be asked, with what Temporal said, and since when, ISO 8601. */
export type RefusedQuestions = Record<string, { error: string; since: string }>;

const KEY = 'parked_round';

/**
 * Begin the first round of a failover, or, once its time has come, the round after that. Part of the record of an
 * adoption.
 */
export async function beginParkedRound(
  transaction: Store,
  { incarnation, now, lost }: { incarnation: string; now: Date; lost: { since: Date; againAt: Date } | undefined },
): Promise<void> {
  const { db } = transaction;
  const meta = transaction.table('meta');
  if (lost) {
    const first = { incarnation, since: lost.since, name: 'at once', againAt: lost.againAt, isDone: false, places: {} };
    // Each trigger adopts a failover by itself. The first one to end begins the round.
    await sql`insert into ${meta} as m (key, value) values (${KEY}, ${JSON.stringify(first)}::jsonb)
      on conflict (key) do update set value = excluded.value
      where (m.value ->> 'incarnation', m.value ->> 'since') is distinct from
        (excluded.value ->> 'incarnation', excluded.value ->> 'since')`.execute(db);
    return;
  }
  const again: Pick<ParkedRound, 'name' | 'isDone' | 'places'> = { name: 'again', isDone: false, places: {} };
  await sql`update ${meta} set value = (value - 'owner') || ${JSON.stringify(again)}::jsonb
    where key = ${KEY} and value ->> 'name' = 'at once' and (value ->> 'againAt')::timestamptz <= ${now}`.execute(db);
}

/**
 * Take the round, if no other live trigger has it. A round that a dead trigger began is continued.
 *
 * @returns undefined if there is none, or another trigger has it
 */
export async function takeParkedRound(
  store: Store,
  { owner, staleBefore }: { owner: string; staleBefore: Date },
): Promise<ParkedRound | undefined> {
  const { rows } = await sql<{ round: ParkedRound }>`
    update ${store.table('meta')} m set value = m.value || jsonb_build_object('owner', ${owner}::text)
    where m.key = ${KEY} and m.value <> 'null' and (m.value ->> 'owner' is null or m.value ->> 'owner' = ${owner}
      or not exists (select from ${store.table('triggers')} t
        where t.id = (m.value ->> 'owner')::uuid and t.heartbeat_at > ${staleBefore}))
    returning m.value as round`.execute(store.db);
  return rows[0]?.round;
}

/** Whose round it is, as it was taken. */
type Holder = Pick<ParkedRound, 'incarnation' | 'name'> & { owner: string };

/**
 * Record how far it has come in a namespace, which took the questions.
 *
 * @param place undefined to begin the namespace again
 * @returns false where another trigger has taken the round over, or it is another one by now
 */
export async function recordParkedPlace(
  store: Store,
  holder: Holder,
  namespace: string,
  place: string | true | undefined,
): Promise<boolean> {
  const places =
    place === undefined
      ? sql`value #- array['places', ${namespace}::text]`
      : sql`jsonb_set(value, array['places', ${namespace}::text], ${JSON.stringify(place)}::jsonb)`;
  const { rows } =
    await sql`update ${store.table('meta')} set value = (${places}) #- array['refused', ${namespace}::text]
    where ${isHeldBy(holder)} returning 1 as one`.execute(store.db);
  return rows.length > 0;
}

/** Record that a namespace did not take the questions, and since when that is so. */
export async function recordRefusedQuestions(
  store: Store,
  holder: Holder,
  { namespace, error, now }: { namespace: string; error: string; now: Date },
): Promise<void> {
  await sql`update ${store.table('meta')} set value = value || jsonb_build_object('refused',
      coalesce(value -> 'refused', '{}') || jsonb_build_object(${namespace}::text, jsonb_build_object('error', ${error}::text,
        'since', coalesce(value #>> array['refused', ${namespace}::text, 'since'], ${now.toISOString()}::text))))
    where ${isHeldBy(holder)}`.execute(store.db);
}

/** All were asked: the first round waits for the next, after which nothing is left of it. */
export async function endParkedRound(store: Store, holder: Holder): Promise<void> {
  const end = holder.name === 'again' ? sql`'null'::jsonb` : sql`value || '{"isDone": true}'`;
  await sql`update ${store.table('meta')} set value = ${end} where ${isHeldBy(holder)}`.execute(store.db);
}

/** Not all were asked: let any trigger continue, since Temporal may refuse only this one. */
export async function leaveParkedRound(store: Store, holder: Holder): Promise<void> {
  await sql`update ${store.table('meta')} set value = value - 'owner' where ${isHeldBy(holder)}`.execute(store.db);
}

/** Where parked runs could not be asked for the letters that a failover may have lost. */
export async function readRefusedQuestions(store: Store): Promise<RefusedQuestions> {
  const { rows } = await sql<{ refused: RefusedQuestions | null }>`
    select value -> 'refused' as refused from ${store.table('meta')} where key = ${KEY} and value <> 'null'`.execute(
    store.db,
  );
  return rows[0]?.refused ?? {};
}

function isHeldBy({ owner, incarnation, name }: Holder) {
  return sql`key = ${KEY} and value ->> 'owner' = ${owner} and value ->> 'name' = ${name} and value ->> 'incarnation' = ${incarnation}`;
}
