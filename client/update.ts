import { isDeepStrictEqual } from 'node:util';
import type { Workflow } from '@temporalio/common';
import type { ParsedSchedule } from '../core/definition';
import { InvalidScheduleError } from '../core/errors';
import type { ScheduleOptionsStartWorkflowAction, ScheduleUpdateOptions } from '../core/schedule';
import type { Store } from '../store/connection';
import { deleteExclusions, readExclusions } from '../store/exclude';
import { type Labels, writeLabels } from '../store/labels';
import type { LockedSchedule } from '../store/lock';
import { ensurePartitions } from '../store/partitions';
import type { ScheduleRow } from '../store/read-schedules';
import { latest, type NewVersion, updateSchedule, updateState } from '../store/update';
import { changeLive, readLive } from './change';
import type { ClientContext } from './context';
import { describeLive } from './describe-live';
import type { ScheduleDescription } from './description';
import { ScheduleConflictError } from './errors';
import { leftBehind, monthsOf } from './left-behind';
import type { EncodedSchedule } from './payloads';
import { isSameDefinition, parseUpdateOptions } from './update-options';

const ATTEMPTS = 5;

/** The new definition, computed from the one that is in force. */
export type ScheduleUpdater<W extends Workflow = Workflow> = (
  previous: ScheduleDescription,
) => Returned<W> | Promise<Returned<W>>;

type Returned<W extends Workflow> = ScheduleUpdateOptions<ScheduleOptionsStartWorkflowAction<W>>;

/** Read, let `updater` compute, and write where nobody else changed the schedule meanwhile; else again. */
export async function updateLive(context: ClientContext, scheduleId: string, updater: ScheduleUpdater): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const row = await readLive(context, scheduleId);
    // Decoded twice: the updater may change what it is given.
    const previous = await describeLive(context, row);
    const parsed = parseUpdateOptions(row, await updater(previous));
    const encoded = await context.codec.encode(parsed);
    const version = await newVersion(context, row, parsed, encoded);
    const labels = await newLabels(context, row, parsed, encoded);
    const written = await changeLive(context, scheduleId, async (transaction, locked) => {
      if (!isAsRead(row, locked)) return locked.version;
      await write(transaction, locked, { row, parsed, version, labels, actor: context.identity });
      return undefined;
    });
    if (written === undefined) return;
    if (attempt === ATTEMPTS) {
      const problem = `was changed by others during each of ${ATTEMPTS} attempts to update it; try again`;
      throw new ScheduleConflictError(scheduleId, row.version, written, problem);
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
  { definition, args }: EncodedSchedule,
): Promise<NewVersion | undefined> {
  if (isSameDefinition(row, await codec.decode(row), parsed)) return undefined;
  return { definition, args: args ?? null };
}

/** Memo and search attributes that are not the stored ones; what was left out stays. */
async function newLabels(
  { codec }: ClientContext,
  { scheduleId, ...row }: ScheduleRow,
  parsed: ParsedSchedule,
  encoded: EncodedSchedule,
): Promise<Labels> {
  const sameMemo = isDeepStrictEqual((await codec.decodeMemo(row.memo)) ?? {}, parsed.memo);
  const sameAttributes = isDeepStrictEqual(row.searchAttributes ?? {}, parsed.searchAttributes);
  return {
    scheduleId,
    memo: sameMemo ? undefined : encoded.memo,
    searchAttributes: sameAttributes ? undefined : parsed.searchAttributes,
  };
}

interface Update {
  row: ScheduleRow;
  parsed: ParsedSchedule;
  version: NewVersion | undefined;
  labels: Labels;
  actor: string;
}

async function write(transaction: Store, locked: LockedSchedule, update: Update): Promise<void> {
  const { parsed, version, labels, actor } = update;
  await writeLabels(transaction, [labels]);
  const state = nextState(locked, update);
  const wakesOrSleeps =
    state.paused !== locked.paused || (state.remainingActions === 0) !== (locked.remainingActions === 0);
  if (!version && !wakesOrSleeps && locked.specError === null) {
    const same =
      state.note === (locked.note ?? undefined) && state.remainingActions === (locked.remainingActions ?? undefined);
    if (!same) await updateState(transaction, locked, state);
    return;
  }

  const at = latest(locked);
  const next = parsed.compiled.next(at.getTime());
  if (next === undefined && version) {
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
  if (version) await dropExclusions(transaction, locked, parsed);
}

/** An exclusion ahead of what is no occurrence any more would be a row that answers for nothing. */
async function dropExclusions(transaction: Store, locked: LockedSchedule, { compiled }: ParsedSchedule): Promise<void> {
  const excluded = await readExclusions(transaction, locked.scheduleId, locked.now);
  const stale = excluded.filter((time) => compiled.next(time.getTime() - 1) !== time.getTime());
  await deleteExclusions(transaction, locked, stale);
}

/** Actions that the updater left as it found them may have been counted down meanwhile: they stay as they are. */
function nextState(locked: LockedSchedule, { row, parsed }: Update) {
  const untouched = parsed.remainingActions === (row.remainingActions ?? undefined);
  return {
    paused: parsed.paused,
    note: parsed.note,
    remainingActions: untouched ? (locked.remainingActions ?? undefined) : parsed.remainingActions,
  };
}
