import { sql } from 'kysely';
import type { Store } from '../connection';
import { arePlaces, instantIn } from '../text';

/** The progress of the daily check, which compares Temporal's runs with the ledger. */
export interface DailyCheck {
  since: Date;
  /**
   * For each namespace that the check has begun: the place at which its list of runs continues, or true once the whole
   * list was read.
   */
  places: Record<string, string | true>;
}

/**
 * Take the daily check for this trigger, unless another live trigger has it. A check that this trigger or a dead one
 * began within the last day is continued, if it covers as much as a new one.
 *
 * @param query.since a new check covers runs that started at this time or later
 */
export async function takeDailyCheck(
  store: Store,
  query: { owner: string; now: Date; since: Date; staleBefore: Date },
): Promise<DailyCheck | undefined> {
  const { owner, now, since, staleBefore } = query;
  const { rows } = await sql<{ since: string; places: DailyCheck['places'] }>`
    insert into ${store.table('meta')} as m (key, value) values ('daily_look',
      jsonb_build_object('owner', ${owner}::text, 'begunAt', ${now}::timestamptz, 'since', ${since}::timestamptz, 'places', '{}'::jsonb))
    on conflict (key) do update set value = case
      when ${instantIn(sql`m.value`, 'since')} <= ${since} and ${arePlaces(sql`m.value`)}
        and ${instantIn(sql`m.value`, 'begunAt')} >= ${now}::timestamptz - interval '1 day'
        then m.value || jsonb_build_object('owner', ${owner}::text)
      else excluded.value end
    where m.value = 'null' or m.value ->> 'owner' = ${owner} or not exists (select from ${store.table('triggers')} t
      where t.id::text = m.value ->> 'owner' and t.heartbeat_at > ${staleBefore})
    returning value ->> 'since' as since, value -> 'places' as places`.execute(store.db);
  const [row] = rows;
  return row && { since: new Date(row.since), places: row.places };
}

/** Returns false if another trigger has taken the check over, or adoption has ended the check. */
export async function recordPlace(
  store: Store,
  owner: string,
  namespace: string,
  place: string | true,
): Promise<boolean> {
  const { rows } = await sql`
    update ${store.table('meta')} set value = jsonb_set(value, array['places', ${namespace}::text], ${JSON.stringify(place)}::jsonb)
    where key = 'daily_look' and value ->> 'owner' = ${owner} returning 1 as one`.execute(store.db);
  return rows.length > 0;
}
