import { type RawBuilder, sql } from 'kysely';
import { byEnd, type FreezeStretch, freezeAt } from '../../core/decisions/freeze';
import { InvalidQueryError } from '../../core/list-query/error';
import { type ListQuery, mapColumn, resolveQuery } from '../../core/list-query/resolve';
import { partsOfName, scopedName } from '../../core/scoped-name';
import type { Store } from '../connection';
import { type CheckedScheduleFilter, scheduleConditions } from '../reads/schedule-filter';
import { and } from '../text';
import { type Freeze, hasFreezesBetween, readFreezes, readFreezesBetween } from './rows';

/** A freeze stores conditions, and not the schedules that match: each read of the freeze matches them again. */
export type FreezeScope = Pick<Freeze, 'tenant' | 'source' | 'query' | 'scheduleIds'>;

const READ_AT_MOST = 1_000;

/**
 * The list filter of a freeze. A program of another version may have stored a filter that this program cannot read.
 * Then the freeze holds all schedules that its other parts select, since a firing that starts during a freeze cannot be
 * taken back.
 */
function conditionOf(query: string | null): { condition?: ListQuery | undefined; problem?: string } {
  try {
    return { condition: query === null ? undefined : resolveQuery(query)?.condition };
  } catch (error) {
    if (error instanceof InvalidQueryError) return { problem: error.message };
    throw error;
  }
}

export function filterOf({ tenant, source, query, scheduleIds }: FreezeScope): CheckedScheduleFilter {
  const { condition } = conditionOf(query);
  const named = (given: unknown) =>
    partsOfName(String(given)) ? String(given) : scopedName(tenant ?? undefined, String(given));
  return {
    tenant: tenant ?? undefined,
    source: source ?? undefined,
    scheduleIds: scheduleIds ?? undefined,
    query: condition && mapColumn(condition, 'source', named),
  };
}

export async function readUnreadableFreezes(store: Store, now: Date): Promise<(Freeze & { problem: string })[]> {
  const freezes = await readFreezes(store, { tenant: undefined, ended: false, now, limit: READ_AT_MOST });
  return freezes.flatMap((freeze) => {
    const { problem } = conditionOf(freeze.query);
    return problem === undefined ? [] : [{ ...freeze, problem }];
  });
}

function matches(store: Store, scope: FreezeScope) {
  const { schedule, timer, version, both } = scheduleConditions(store, filterOf(scope));
  return and([sql`s.deleted_at is null`, ...schedule, ...timer, ...version, ...both]);
}

/** `from` and `where` of a statement over the live schedules that a freeze covers, by the alias `s`. */
function covered(store: Store, scope: FreezeScope): RawBuilder<unknown> {
  return sql`from ${store.table('schedules')} s join ${store.table('timers')} t using (schedule_id)
      join ${store.table('schedule_versions')} v using (schedule_id, version)
    where ${matches(store, scope)}`;
}

export async function readMatching(store: Store, scope: FreezeScope, scheduleIds: string[]): Promise<string[]> {
  if (scheduleIds.length === 0) return [];
  const { rows } = await sql<{ scheduleId: string }>`select s.schedule_id as "scheduleId"
    ${covered(store, scope)} and s.schedule_id = any(${scheduleIds}::text[])`.execute(store.db);
  return rows.map((row) => row.scheduleId);
}

export function isCovered(store: Store, scope: FreezeScope, scheduleId: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`exists (select ${covered(store, scope)} and s.schedule_id = ${scheduleId})`;
}

export async function countMatching(store: Store, scope: FreezeScope): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count ${covered(store, scope)}`.execute(
    store.db,
  );
  return rows[0]!.count;
}

/** Whether a freeze may hold one of these schedules at some instant from the earliest `answeredTo` to `until`. */
export async function mayBeHeld(
  store: Store,
  schedules: { tenant: string; answeredTo: Date }[],
  until: Date,
): Promise<boolean> {
  if (schedules.length === 0) return false;
  const after = new Date(Math.min(...[until, ...schedules.map(({ answeredTo }) => answeredTo)].map(Number)));
  return hasFreezesBetween(store, { after, until, tenants: tenantsOf(schedules) });
}

/**
 * For each given live schedule, the freezes that hold it at some instant from `since` to `until`, the first to begin
 * first. A freeze is left out if another one that ends later holds the schedule from the same instant or an earlier
 * one.
 *
 * @param onUnreadable called for each freeze with a filter that this program cannot read
 */
export async function readFreezesOf(
  store: Store,
  schedules: { scheduleId: string; tenant: string; since: Date }[],
  until: Date,
  onUnreadable?: (freezeId: string, problem: string) => void,
): Promise<Map<string, FreezeStretch[]>> {
  const found = new Map<string, FreezeStretch[]>();
  if (schedules.length === 0) return found;
  // Schedules with open alerts may be more than a call takes arguments.
  const after = new Date(
    schedules.reduce((first, { since }) => Math.min(first, since.getTime()), Number.POSITIVE_INFINITY),
  );
  const tenants = tenantsOf(schedules);
  const named = schedules.map(({ scheduleId }) => scheduleId);
  const freezes = await readFreezesBetween(store, { after, until, tenants, named });
  const stretches = freezes.map((freeze) => ({ freeze, ...stretchOf(freeze) })).sort(byEnd);
  for (const { freeze, ...stretch } of stretches) {
    const { problem } = conditionOf(freeze.query);
    if (problem !== undefined) onUnreadable?.(freeze.freezeId, problem);
    const named = freeze.scheduleIds && new Set(freeze.scheduleIds);
    const among = schedules.filter(({ scheduleId, tenant, since }) => {
      const heldFrom = found.get(scheduleId)?.[0]?.from ?? Number.POSITIVE_INFINITY;
      const isSelected = (freeze.tenant ?? tenant) === tenant && (named?.has(scheduleId) ?? true);
      return isSelected && since.getTime() < stretch.to && stretch.from < heldFrom;
    });
    const ids = among.map(({ scheduleId }) => scheduleId);
    // Most freezes have neither a filter nor a source, and need no statement of their own.
    const isPlain = freeze.query === null && freeze.source === null;
    for (const id of isPlain ? ids : await readMatching(store, freeze, ids))
      found.set(id, [stretch, ...(found.get(id) ?? [])]);
  }
  return found;
}

function tenantsOf(schedules: { tenant: string }[]): RawBuilder<string[]> {
  return sql`${[...new Set(schedules.map(({ tenant }) => tenant))]}::text[]`;
}

export async function readFreezeAt(store: Store, scheduleId: string, instant: Date): Promise<Freeze | undefined> {
  const holding: Freeze[] = [];
  const tenants = sql<
    string[]
  >`array(select s.tenant from ${store.table('schedules')} s where s.schedule_id = ${scheduleId})`;
  for (const freeze of await readFreezesBetween(store, { after: instant, until: instant, tenants })) {
    if ((await readMatching(store, freeze, [scheduleId])).length > 0) holding.push(freeze);
  }
  const holds = freezeAt(holding.map(stretchOf), instant.getTime());
  return holding.find(({ freezeId }) => freezeId === holds?.freezeId);
}

/** When no freeze holds the schedule any more: the end of this freeze, or of the last one that follows without a break. */
export async function readHeldUntil(store: Store, scheduleId: string, freeze: Freeze): Promise<Date> {
  const end = new Date(endOfFreeze(freeze));
  const next = await readFreezeAt(store, scheduleId, end);
  return next ? readHeldUntil(store, scheduleId, next) : end;
}

function stretchOf(freeze: Freeze): FreezeStretch {
  const { freezeId, from, catchUp } = freeze;
  return { freezeId, from: from.getTime(), to: endOfFreeze(freeze), catchUp };
}

/** The planned end of a freeze, or when a person ended it before, in epoch milliseconds. */
export function endOfFreeze({ to, endedAt }: Freeze): number {
  return Math.min(to.getTime(), (endedAt ?? to).getTime());
}
