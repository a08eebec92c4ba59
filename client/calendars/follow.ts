import { setImmediate } from 'node:timers/promises';
import { InvalidScheduleError } from '../../core/errors';
import { compileSpec } from '../../core/occurrences';
import { type CalendarKey, holdCalendars, readScheduleIdsNaming } from '../../store/calendars/rows';
import type { Store } from '../../store/connection';
import { isLockTimeout, isOfRowAlone } from '../../store/postgres-errors';
import { type DeclaredRow, readDeclared } from '../../store/schedules/apply';
import { readLocked } from '../../store/schedules/lock';
import { describeHolder, lockHoldersOfEach } from '../../store/schedules/lock-holders';
import { lockTimers } from '../../store/schedules/lock-timers';
import { sameState } from '../../store/schedules/update';
import { transact } from '../../store/transaction';
import type { ClientContext } from '../context';
import { ScheduleLockedError } from '../errors';
import { type ScheduleChange, writeChanges } from '../update/update';
import type { PutCalendarOptions } from './calendar-options';

/**
 * The batch is small, since each update may write firings, and all schedules of one transaction stay locked together.
 */
const WRITTEN_AT_ONCE = 100;

/**
 * Give the new days of a calendar to the schedules that name it and have other days, page by page.
 *
 * @returns how many schedules got the new days, and which could not
 */
export async function followCalendar(
  context: ClientContext,
  key: CalendarKey,
  { days, progress }: { days: string; progress: PutCalendarOptions['progress'] },
): Promise<{ schedules: number; failed: { scheduleId: string; problem: string }[] }> {
  const left: Left = { failed: [], held: [] };
  let schedules = 0;
  let total = 0;
  for (let behind = ''; ; ) {
    const ids = await readScheduleIdsNaming(context.store, key, { behind, size: WRITTEN_AT_ONCE, unlike: days });
    if (ids.length === 0) break;
    total += ids.length;
    schedules += await followAll(context, ids, left);
    await progress?.({ written: schedules, total });
    behind = ids.at(-1)!;
    await setImmediate();
  }
  // Most locks last only briefly, so they are over by now.
  const again = left.held.splice(0);
  for (let at = 0; at < again.length; at += WRITTEN_AT_ONCE) {
    schedules += await followAll(context, again.slice(at, at + WRITTEN_AT_ONCE), left, { waits: false });
    await progress?.({ written: schedules, total });
  }
  return { schedules, failed: [...left.failed, ...(await heldUp(context.store, left.held))] };
}

/** Schedules that did not get the new days. */
interface Left {
  failed: { scheduleId: string; problem: string }[];
  /** Schedules that another transaction has locked. */
  held: string[];
}

async function heldUp(store: Store, held: string[]): Promise<Left['failed']> {
  const holders = held.length > 0 ? await lockHoldersOfEach(store, held).catch(() => []) : [];
  return held.map((scheduleId) => {
    const by = holders.filter((holder) => holder.scheduleId === scheduleId).map(describeHolder);
    return { scheduleId, problem: new ScheduleLockedError(scheduleId, { cause: undefined }, by).message };
  });
}

/**
 * Change these schedules in one transaction. If one of them cannot change, change them one by one, so that the others
 * get the new days. Once a wait for a lock has failed, the batch is tried without waits, since all its schedules may be
 * locked. Locked ones are left out. @returns how many got the new days
 */
async function followAll(
  context: ClientContext,
  ids: string[],
  left: Left,
  { waits } = { waits: true },
): Promise<number> {
  const { store } = context;
  try {
    const { followed, held } = await transact(store, (transaction) => followPage(context, transaction, ids, waits));
    left.held.push(...held);
    return followed;
  } catch (error) {
    if (waits && isLockTimeout(error)) return followAll(context, ids, left, { waits: false });
    if (!(error instanceof InvalidScheduleError) && !isOfRowAlone(error)) throw error;
    if (ids.length === 1) {
      left.failed.push({ scheduleId: ids[0]!, problem: error.message });
      return 0;
    }
  }
  let followed = 0;
  for (const id of ids) followed += await followAll(context, [id], left, { waits });
  return followed;
}

async function followPage(
  context: ClientContext,
  transaction: Store,
  ids: string[],
  waits: boolean,
): Promise<{ followed: number; held: string[] }> {
  const keys = ids.map((scheduleId) => ({ scheduleId }));
  const free = await lockTimers(transaction, keys, { waits });
  const rows = new Map((await readDeclared(transaction, ids)).map((row) => [row.scheduleId, row]));
  const days = await daysHeld(transaction, [...rows.values()]);
  const changes: ScheduleChange[] = [];
  for (const locked of await readLocked(transaction, [...free], context.now?.())) {
    const { scheduleId, tenant, definition } = locked;
    const former = definition.spec.calendarDays ?? {};
    const named = Object.keys(former).map(
      (name) => [name, days.get(keyOf({ tenant, name })) ?? former[name]!] as const,
    );
    if (locked.deleted || named.every(([name, text]) => former[name] === text)) continue;
    // For a damaged part, `definition` has only a stand-in, which must not be stored.
    if (locked.damaged.length > 0)
      throw new InvalidScheduleError(locked.damaged[0]!, 'is damaged; update the schedule');
    const spec = { ...definition.spec, calendarDays: Object.fromEntries(named) };
    changes.push({
      locked,
      state: sameState(locked),
      compiled: compileSpec(spec, { scheduleId }),
      version: { definition: { ...definition, spec }, args: rows.get(scheduleId)?.args ?? null },
      labels: {
        scheduleId,
        memo: undefined,
        searchAttributes: undefined,
        owner: undefined,
        runbook: undefined,
        externalId: undefined,
      },
      actor: context.identity,
      over: true,
    });
  }
  await writeChanges(transaction, changes);
  return { followed: changes.length, held: ids.filter((id) => rows.has(id) && !free.has(id)) };
}

async function daysHeld(transaction: Store, rows: DeclaredRow[]): Promise<Map<string, string>> {
  const keys = rows.flatMap(({ tenant, spec }) =>
    Object.keys(spec.calendarDays ?? {}).map((name) => ({ tenant, name })),
  );
  const unique = new Map(keys.map((key) => [keyOf(key), key]));
  const held = await holdCalendars(transaction, [...unique.values()]);
  return new Map(held.map((row) => [keyOf(row), row.days]));
}

function keyOf({ tenant, name }: CalendarKey): string {
  return JSON.stringify([tenant, name]);
}
