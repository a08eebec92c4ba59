import { isDeepStrictEqual } from 'node:util';
import type { ParsedSchedule } from '../core/definition';
import { InvalidScheduleError } from '../core/errors';
import type { CompiledSpec } from '../core/occurrences';
import type { ScheduleUpdateOptions } from '../core/schedule';
import type { Store } from '../store/connection';
import { deleteExclusions, readExclusions } from '../store/exclude';
import type { LockedSchedule } from '../store/lock';
import { ensurePartitions } from '../store/partitions';
import type { ScheduleRow } from '../store/read-schedules';
import { latest, type NewVersion, type UpdatedState, updateSchedule, updateState } from '../store/update';
import { changeLive, readLive } from './change';
import type { ClientContext } from './context';
import { describeLive } from './describe-live';
import type { ScheduleDescription } from './description';
import { ScheduleConflictError } from './errors';
import { type HandedOver, namingHandedOver } from './handed-over';
import { leftBehind, monthsOf } from './left-behind';
import { isSameDefinition, parseUpdateOptions } from './update-options';

const ATTEMPTS = 5;

/** The new definition, computed from the one that is in force. */
export type ScheduleUpdater = (previous: ScheduleDescription) => ScheduleUpdateOptions | Promise<ScheduleUpdateOptions>;

/** Read, let `updater` compute, and write where nobody else changed the schedule meanwhile; else again. */
export async function updateLive(
  context: ClientContext,
  scheduleId: string,
  updater: ScheduleUpdater,
): Promise<HandedOver> {
  for (let attempt = 1; ; attempt++) {
    const row = await readLive(context, scheduleId);
    // Decoded twice: the updater may change what it is given.
    const previous = await describeLive(context, row);
    const parsed = parseUpdateOptions(row, await updater(previous));
    const version = await newVersion(context, row, parsed);
    const end = await changeLive(context, scheduleId, async (transaction, locked) => {
      if (!isAsRead(row, locked)) return locked.version;
      const state = nextState(locked, row, parsed);
      const { compiled } = parsed;
      const written = writeChange(transaction, locked, { state, compiled, version, actor: context.identity });
      return namingHandedOver(transaction, locked, written);
    });
    if (typeof end !== 'number') return end;
    if (attempt === ATTEMPTS) {
      const problem = `was changed by others during each of ${ATTEMPTS} attempts to update it; try again`;
      throw new ScheduleConflictError(scheduleId, row.version, end, problem);
    }
  }
}

/** What the updater decided by is still there. `remainingActions` may have been counted down: see {@link nextState}. */
function isAsRead(row: ScheduleRow, locked: LockedSchedule): boolean {
  return row.version === locked.version && row.paused === locked.paused && row.note === locked.note;
}

/** The version to be written; undefined where the definition is the stored one. */
async function newVersion(
  { codec }: ClientContext,
  row: ScheduleRow,
  parsed: ParsedSchedule,
): Promise<NewVersion | undefined> {
  const sameArgs = isDeepStrictEqual(await codec.decode(row.args), parsed.args);
  if (sameArgs && isSameDefinition(row, parsed)) return undefined;
  const encoded = sameArgs ? row.args : await codec.encode(parsed.args);
  return { definition: parsed.definition, args: encoded ?? null };
}

/** What becomes of a schedule. */
export interface ScheduleChange {
  state: UpdatedState;
  compiled: CompiledSpec;
  /** The definition, where it changes. */
  version: NewVersion | undefined;
  actor: string;
  /** Accept a spec whose times have all passed. @default false */
  over?: boolean;
}

/** Write a change of a locked schedule; nothing where it is none. @throws {InvalidScheduleError} for a spec that never fires again */
export async function writeChange(transaction: Store, locked: LockedSchedule, change: ScheduleChange): Promise<void> {
  const { state, compiled, version, actor, over = false } = change;
  const wakesOrSleeps =
    state.paused !== locked.paused || (state.remainingActions === 0) !== (locked.remainingActions === 0);
  if (!version && !wakesOrSleeps && locked.specError === null) {
    const same =
      state.note === (locked.note ?? undefined) && state.remainingActions === (locked.remainingActions ?? undefined);
    if (!same) await updateState(transaction, locked, state);
    return;
  }

  const at = latest(locked);
  const next = compiled.next(at.getTime());
  if (next === undefined && version && !over) {
    throw new InvalidScheduleError('spec', 'never fires from now on; give it times to come, or delete the schedule');
  }
  const sleeps = state.paused || state.remainingActions === 0 || next === undefined;
  const handover = {
    ...(await leftBehind(transaction, locked, { at, paused: state.paused })),
    at,
    overlap: locked.definition.policies.overlap,
    nextFireAt: sleeps ? null : new Date(next),
  };
  await ensurePartitions(transaction, monthsOf(handover.firings));
  await updateSchedule(transaction, locked, { state, handover, version, actor });
  if (version) await dropExclusions(transaction, locked, compiled);
}

/** An exclusion ahead of what is no occurrence any more would be a row that answers for nothing. */
async function dropExclusions(transaction: Store, locked: LockedSchedule, compiled: CompiledSpec): Promise<void> {
  const excluded = await readExclusions(transaction, locked.scheduleId, locked.now);
  const stale = excluded.filter((time) => compiled.next(time.getTime() - 1) !== time.getTime());
  await deleteExclusions(transaction, locked, stale);
}

/** Actions that the updater left as it found them may have been counted down meanwhile: they stay as they are. */
function nextState(locked: LockedSchedule, row: ScheduleRow, parsed: ParsedSchedule): UpdatedState {
  const untouched = parsed.remainingActions === (row.remainingActions ?? undefined);
  return {
    paused: parsed.paused,
    note: parsed.note,
    remainingActions: untouched ? (locked.remainingActions ?? undefined) : parsed.remainingActions,
  };
}
