import { sql } from 'kysely';
import type { Store } from '../connection';
import { arePlaces, instantIn } from '../text';

/** The progress of asking runs for their parked steps, after a failover that may have lost dead letters. */
export interface ParkedRound {
  incarnation: string;
  /** The failover lost nothing from before this instant, ISO 8601. */
  since: string;
  /**
   * The first round asks runs `at once`. The second round asks runs `again`, when workflows that Temporal listed late
   * are adopted too.
   */
  name: 'at once' | 'again';
  /**
   * When the second round may begin, ISO 8601. `againAt` also distinguishes two rounds about the same copy of the
   * database.
   */
  againAt: string;
  /** Whether all runs were asked in this round. */
  isDone: boolean;
  /**
   * For each namespace that was begun: the place at which its list of runs continues, or true once all its runs were
   * asked.
   */
  places: Record<string, string | true>;
}

/** Namespaces in which runs could not be asked, with Temporal's error and since when, ISO 8601. */
export type RefusedQuestions = Record<string, { error: string; since: string }>;

const KEY = 'parked_round';
/** Whether this program can read a round `m`. It takes only such rounds: a newer program may have written others. */
const IS_READABLE = sql`(m.value ->> 'name' in ('at once', 'again') and ${arePlaces(sql`m.value`)}
  and ${instantIn(sql`m.value`, 'since')} is not null and ${instantIn(sql`m.value`, 'againAt')} is not null)`;

/**
 * Begin the first round of a failover if `lost` is given; otherwise begin the second round once `againAt` has come. The
 * caller's transaction also records the adoption.
 */
export async function beginParkedRound(
  transaction: Store,
  { incarnation, now, lost }: { incarnation: string; now: Date; lost: { since: Date; againAt: Date } | undefined },
): Promise<void> {
  const { db } = transaction;
  const meta = transaction.table('meta');
  if (lost) {
    const first = { incarnation, since: lost.since, name: 'at once', againAt: lost.againAt, isDone: false, places: {} };
    // Each trigger adopts the failed-over ledger by itself. The first trigger that finishes its adoption begins the
    // round.
    await sql`insert into ${meta} as m (key, value) values (${KEY}, ${JSON.stringify(first)}::jsonb)
      on conflict (key) do update set value = excluded.value
      where (m.value ->> 'incarnation', m.value ->> 'since') is distinct from
        (excluded.value ->> 'incarnation', excluded.value ->> 'since')`.execute(db);
    return;
  }
  const again: Pick<ParkedRound, 'name' | 'isDone' | 'places'> = { name: 'again', isDone: false, places: {} };
  await sql`update ${meta} set value = (value - 'owner') || ${JSON.stringify(again)}::jsonb
    where key = ${KEY} and value ->> 'name' = 'at once' and coalesce(${instantIn(sql`value`, 'againAt')} <= ${now}, true)`.execute(
    db,
  );
}

/**
 * Take the round for this trigger, if no other live trigger has it.
 *
 * @returns undefined if there is no round, or another trigger has it
 */
export async function takeParkedRound(
  store: Store,
  { owner, staleBefore }: { owner: string; staleBefore: Date },
): Promise<ParkedRound | undefined> {
  const { rows } = await sql<{ round: ParkedRound }>`
    update ${store.table('meta')} m set value = m.value || jsonb_build_object('owner', ${owner}::text)
    where m.key = ${KEY} and ${IS_READABLE} and (m.value ->> 'owner' is null or m.value ->> 'owner' = ${owner}
      or not exists (select from ${store.table('triggers')} t
        where t.id::text = m.value ->> 'owner' and t.heartbeat_at > ${staleBefore}))
    returning m.value as round`.execute(store.db);
  return rows[0]?.round;
}

type Holder = Pick<ParkedRound, 'incarnation' | 'name'> & { owner: string };

/**
 * Record how far the round has come in a namespace.
 *
 * @param place where the namespace's list continues; undefined to begin the namespace again
 * @returns false if another trigger has taken the round over, or another round has begun
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

/**
 * Record that all runs were asked. After the first round, the record stays for the second round; after the second, it
 * is emptied.
 */
export async function endParkedRound(store: Store, holder: Holder): Promise<void> {
  const end = holder.name === 'again' ? sql`'null'::jsonb` : sql`value || '{"isDone": true}'`;
  await sql`update ${store.table('meta')} set value = ${end} where ${isHeldBy(holder)}`.execute(store.db);
}

/**
 * Let any trigger continue the round after some runs could not be asked, since Temporal may refuse only this trigger.
 */
export async function leaveParkedRound(store: Store, holder: Holder): Promise<void> {
  await sql`update ${store.table('meta')} set value = value - 'owner' where ${isHeldBy(holder)}`.execute(store.db);
}

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
