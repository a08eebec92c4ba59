import { type RawBuilder, sql } from 'kysely';
import type { FiringKey, FiringState } from '../../core/firing';
import type { Store } from '../connection';
import { instantIn, objectOf } from '../text';
import { run } from '../transaction';
import { inMonthsOf, inState, keysTable } from './keys';
import { OBSERVED, type ObservedFiring } from './observe';

/** The cursor of a namespace whose list of ended runs should be read now. */
export interface EndCursor {
  namespace: string;
  /**
   * An earlier list was complete up to this time. The next read begins somewhat earlier, since ends may appear late in
   * the list. Lists of late ends and polls find older ends.
   */
  listedTo: Date;
  /** Whether a list of late ends should be read too. */
  isLateListDue: boolean;
}

const KEY = 'ends:';
const LISTED_AT = instantIn(sql`m.value`, 'listedAt');
/**
 * A cursor that cannot be read begins at the present, as that of a new namespace does. Polls find the chains that ended
 * before.
 */
const LISTED_TO = instantIn(sql`m.value`, 'listedTo');
const LATE_LIST_DUE_AT = instantIn(sql`m.value`, 'lateListDueAt');
/** A list of late ends is postponed by five minutes at most, unless the clock was set back since. */
const isLateListDue = (now: Date) =>
  sql<boolean>`coalesce(${LATE_LIST_DUE_AT} <= ${now}::timestamptz
    or ${LATE_LIST_DUE_AT} > ${now}::timestamptz + interval '6 minutes', true)`;

/**
 * Take the right to list ended runs in each namespace that may have an open chain. A namespace that a trigger has taken
 * within `everyMilliseconds` is left out.
 *
 * @param turn.open namespaces in which the caller knows of open chains; they count as open until `until`
 * @param turn.firstLateListAt when the first list of late ends is due in a namespace without a cursor
 * @param turn.without namespaces that this trigger leaves to other triggers
 */
export async function takeEndCursors(
  store: Store,
  turn: {
    now: Date;
    everyMilliseconds: number;
    open: { namespace: string; until: Date }[];
    firstLateListAt: Date;
    without: string[];
  },
): Promise<EndCursor[]> {
  const { now, everyMilliseconds, open, firstLateListAt, without } = turn;
  const last = new Date(now.getTime() - everyMilliseconds);
  const { rows } = await run(
    store,
    sql<{ namespace: string; listedTo: string; isLateListDue: boolean }>`
    with open as (select ${KEY} || namespace as key, open_until from unnest(${open.map(({ namespace }) => namespace)}::text[],
      ${open.map(({ until }) => until)}::timestamptz[]) as o (namespace, open_until)),
    made as (insert into ${store.table('meta')} (key, value)
      select key, jsonb_build_object('listedAt', ${last}::timestamptz, 'listedTo', ${now}::timestamptz, 'openUntil', open_until,
        'lateListDueAt', ${firstLateListAt}::timestamptz)
      from open order by key on conflict do nothing),
    free as (select m.key, greatest(${instantIn(sql`m.value`, 'openUntil')}, o.open_until) as open_until
      from ${store.table('meta')} m left join open o using (key)
      where m.key like ${`${KEY}%`} and m.key <> all(${without.map((namespace) => KEY + namespace)}::text[])
        -- No list was read after now, unless the clock was set back since.
        and coalesce(${LISTED_AT} <= ${last}::timestamptz or ${LISTED_AT} > ${now}::timestamptz + interval '1 minute', true)
        and greatest(${instantIn(sql`m.value`, 'openUntil')}, o.open_until) > ${now}::timestamptz
      for no key update of m skip locked)
    update ${store.table('meta')} m
      set value = ${objectOf(sql`m.value`)} || jsonb_build_object('listedAt', ${now}::timestamptz, 'openUntil', f.open_until,
        'listedTo', coalesce(${LISTED_TO}, ${now}))
    from free f where m.key = f.key
    returning substr(m.key, ${KEY.length + 1}) as namespace, m.value ->> 'listedTo' as "listedTo",
      ${isLateListDue(now)} as "isLateListDue"`,
  );
  return rows.map((row) => ({ ...row, listedTo: new Date(row.listedTo) }));
}

/**
 * Take the right to read a list of late ends, and postpone the next one.
 *
 * @returns whether the list is still due
 */
export async function takeLateList(
  store: Store,
  namespace: string,
  { now, nextDueAt }: { now: Date; nextDueAt: Date },
): Promise<boolean> {
  return setLateListDue(store, namespace, nextDueAt, isLateListDue(now));
}

/**
 * Say when the next list of late ends is due, unless another trigger has begun one since.
 *
 * @param times.from the time that the caller wrote last
 * @returns whether no other trigger has begun one
 */
export async function postponeLateList(
  store: Store,
  namespace: string,
  { from, to }: { from: Date; to: Date },
): Promise<boolean> {
  return setLateListDue(store, namespace, to, sql<boolean>`${LATE_LIST_DUE_AT} = ${from}::timestamptz`);
}

/** @returns whether the cursor met the condition */
async function setLateListDue(store: Store, namespace: string, dueAt: Date, condition: RawBuilder<boolean>) {
  const { numAffectedRows } = await run(
    store,
    sql`update ${store.table('meta')} m
      set value = ${objectOf(sql`m.value`)} || jsonb_build_object('lateListDueAt', ${dueAt}::timestamptz)
    where key = ${KEY + namespace} and ${condition}`,
  );
  return numAffectedRows === 1n;
}

/** A cursor never moves back. */
export async function advanceEndCursor(store: Store, namespace: string, listedTo: Date): Promise<void> {
  await run(
    store,
    sql`update ${store.table('meta')} set value = value || jsonb_build_object('listedTo', ${listedTo}::timestamptz)
    where key = ${KEY + namespace} and ${instantIn(sql`value`, 'listedTo')} < ${listedTo}::timestamptz`,
  );
}

export type FiringOfRun = ObservedFiring & { state: FiringState };

export async function readFiringsOfRuns(store: Store, keys: FiringKey[]): Promise<FiringOfRun[]> {
  if (keys.length === 0) return [];
  const { rows } = await run(
    store,
    sql<FiringOfRun>`
    select ${OBSERVED}, f.state from ${store.table('firings')} f join ${keysTable(keys)} using (schedule_id, scheduled_time)
    where ${inMonthsOf(keys)}`,
  );
  return rows;
}

/** How many chains one statement makes due: a statement for all could exceed its time limit. */
const DUE_AT_ONCE = 5_000;

/**
 * Make the open chains of a namespace due for a poll now, since the namespace does not list ended runs. Chains whose
 * start delay is not over are left out, and those that another transaction keeps locked.
 */
export async function pollEach(store: Store, namespace: string, now: Date): Promise<void> {
  for (let isFull = true; isFull; ) {
    const { numAffectedRows } = await run(
      store,
      sql`with page as materialized (
        select schedule_id, scheduled_time from ${store.table('firings')} where state = 'linked' and check_at > ${now}
          and namespace = ${namespace} and coalesce(starts_at, linked_at) <= ${now}
        limit ${DUE_AT_ONCE} for no key update skip locked)
      update ${store.table('firings')} f set check_at = ${now} from page p
      where f.schedule_id = p.schedule_id and f.scheduled_time = p.scheduled_time and ${inState('linked')}`,
    );
    isFull = numAffectedRows === BigInt(DUE_AT_ONCE);
  }
}
