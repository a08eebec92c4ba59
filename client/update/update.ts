import { isDeepStrictEqual } from 'node:util';
import type { Workflow } from '@temporalio/common';
import type { Legible } from '../../core/definition/legible';
import type { ParsedSchedule } from '../../core/definition/parse';
import { InvalidScheduleError } from '../../core/errors';
import type { CompiledSpec } from '../../core/occurrences';
import { isManual } from '../../core/occurrences/manual';
import type { ScheduleOptionsStartWorkflowAction } from '../../core/schedule/action';
import type { ScheduleUpdateOptions } from '../../core/schedule/options';
import { OVERLAP_POLICIES } from '../../core/schedule/policies';
import type { Store } from '../../store/connection';
import { deleteExclusions, readExclusionsOf } from '../../store/firings/exclude';
import { ensurePartitions } from '../../store/firings/partitions';
import { wakeFrozen } from '../../store/freezes/rows';
import type { ScheduleRow } from '../../store/reads/read-schedules';
import { type Labels, writeLabels } from '../../store/schedules/labels';
import type { LockedSchedule } from '../../store/schedules/lock';
import {
  latest,
  type NewVersion,
  type ScheduleUpdate,
  type UpdatedState,
  updateSchedules,
  updateState,
} from '../../store/schedules/update';
import { leftBehind, monthsOf } from '../apply/left-behind';
import { areDaysInForce, DayFiller } from '../calendars/fill-days';
import type { ClientContext } from '../context';
import { describeWhatCan } from '../describe/describe-live';
import type { ScheduleDescription } from '../describe/schedule-description';
import { CannotDecodeError, ScheduleConflictError } from '../errors';
import { withHeadersOf } from '../interceptors';
import type { EncodedSchedule } from '../payloads';
import { refuseOutside } from '../tenants/limits';
import { changeLive, isAsRead, readLive } from './change';
import { refuseTaken, unlessTaken } from './external-ids';
import { type HandedOver, namingHandedOver } from './handed-over';
import { keepStored } from './kept-values';
import { isSameDefinition, parseUpdateOptions } from './update-options';

const ATTEMPTS = 5;

/** A function that computes the new definition from the current one. */
export type ScheduleUpdater<W extends Workflow = Workflow> = (
  previous: ScheduleDescription,
) => Returned<W> | Promise<Returned<W>>;

type Returned<W extends Workflow> = ScheduleUpdateOptions<ScheduleOptionsStartWorkflowAction<W>>;

export async function updateLive(
  context: ClientContext,
  scheduleId: string,
  updater: ScheduleUpdater,
): Promise<HandedOver> {
  for (let attempt = 1; ; attempt++) {
    const row = await readLive(context, scheduleId);
    // The updater may modify the object that it gets, so later comparisons decode the row again.
    const previous = await describeForUpdate(context, row);
    const wasPaused = previous.state.paused;
    const returned = await updater(previous);
    const filled = await new DayFiller(context).fill(returned, row.tenant);
    const parsed = parseUpdateOptions(row, filled);
    const encoded = await keepStored(context.codec, row, parsed, await context.codec.encode(parsed));
    const version = await newVersion(context, row, parsed, encoded);
    const labels = await newLabels(context, row, parsed, encoded);
    const change = () =>
      changeLive(context, scheduleId, async (transaction, locked) => {
        if (!isAsRead(row, locked)) return locked.version;
        const { tenant } = row;
        if (version && !(await areDaysInForce(transaction, [{ spec: version.definition.spec, tenant }])))
          return locked.version;
        if (version) await refuseOutside(transaction, [{ tenant, ...version }]);
        const state = nextState(locked, row, parsed, wasPaused);
        const { compiled } = parsed;
        const written = writeChanges(transaction, [
          { locked, state, compiled, version, labels, actor: context.identity },
        ]);
        return namingHandedOver(transaction, locked, written);
      });
    const end = await unlessTaken(context.store, [{ ...labels, tenant: row.tenant }], change);
    if (typeof end !== 'number') return end;
    if (attempt === ATTEMPTS) {
      const problem = `was changed by others during all of the ${ATTEMPTS} attempts to update it; try again`;
      throw new ScheduleConflictError(scheduleId, row.version, end, problem);
    }
  }
}

/**
 * The description that an updater gets. Arguments that cannot be decoded are in encoded form, and may be returned so.
 *
 * @throws {CannotDecodeError} for a field that would be lost
 */
async function describeForUpdate(context: ClientContext, row: ScheduleRow): Promise<ScheduleDescription> {
  const { memoError, ...previous } = await describeWhatCan(context, row);
  const { argsError: _, memoError: ofAction, textsError, ...action } = previous.action;
  for (const [path, problem] of [
    ['memo', memoError],
    ['action.memo', ofAction],
    ['action.staticSummary', textsError],
  ] as const) {
    if (problem !== undefined) throw new CannotDecodeError(row.scheduleId, path, problem);
  }
  return { ...previous, action };
}

async function newVersion(
  { codec }: ClientContext,
  row: Legible<ScheduleRow>,
  parsed: ParsedSchedule,
  { definition, args }: EncodedSchedule,
): Promise<NewVersion | undefined> {
  // An updater that keeps the stand-in of a damaged spec would leave the schedule without times.
  if (row.damaged.includes('spec') && isManual(parsed.definition.spec)) {
    throw new InvalidScheduleError(
      'spec',
      'is damaged in the ledger; give the whole spec. If the schedule has none, delete it and create it again',
    );
  }
  const isWhole = row.damaged.length === 0;
  if (isWhole && isSameDefinition(codec, row, await codec.decodeWhatCan(row), parsed)) return undefined;
  return { definition: withHeadersOf(row.action, definition), args: args ?? null };
}

/** Labels that differ from the stored ones. A label that was left out stays. */
async function newLabels(
  { codec }: ClientContext,
  { scheduleId, ...row }: ScheduleRow,
  parsed: ParsedSchedule,
  encoded: EncodedSchedule,
): Promise<Labels> {
  const memo = (await codec.decodeMemo(row.memo)) ?? {};
  const sameMemo = isDeepStrictEqual(codec.comparable(memo), codec.comparable(parsed.memo));
  const sameAttributes = isDeepStrictEqual(row.searchAttributes ?? {}, parsed.searchAttributes);
  return {
    scheduleId,
    memo: sameMemo ? undefined : encoded.memo,
    searchAttributes: sameAttributes ? undefined : parsed.searchAttributes,
    owner: (row.owner ?? '') === parsed.owner ? undefined : parsed.owner,
    runbook: (row.runbook ?? '') === parsed.runbook ? undefined : parsed.runbook,
    externalId: (row.externalId ?? '') === parsed.externalId ? undefined : parsed.externalId,
  };
}

export interface ScheduleChange {
  locked: LockedSchedule;
  state: UpdatedState;
  compiled: CompiledSpec;
  version: NewVersion | undefined;
  labels: Labels;
  actor: string;
  /** Whether to accept a spec whose times have all passed. @default false */
  over?: boolean;
  /** Why the occurrences of a pause did not fire here. @default 'paused' */
  pausedFor?: 'native';
}

/**
 * Write the changes of locked schedules. A change without effect leaves its schedule as it is.
 *
 * @throws {InvalidScheduleError} for a new definition whose spec has no future times, unless `over`
 * @throws {ExternalIdTakenError} for an external ID that another schedule has
 */
export async function writeChanges(transaction: Store, changes: ScheduleChange[]): Promise<void> {
  await refuseTaken(
    transaction,
    changes.map(({ locked: { tenant }, labels }) => ({ tenant, ...labels })),
  );
  await writeLabels(
    transaction,
    changes.map(({ labels }) => labels),
  );
  const updates: ScheduleUpdate[] = [];
  for (const change of changes) {
    if (decidesWhenItFires(change)) updates.push(await updateOf(transaction, change));
    else if (isOtherState(change)) await updateState(transaction, change.locked, change.state);
  }
  await ensurePartitions(transaction, monthsOf(updates.flatMap(({ handover }) => handover.firings)));
  await updateSchedules(transaction, updates);
  await dropExclusions(transaction, changes.filter(isOtherSpec));
  const locked = changes.map((change) => change.locked);
  if (locked[0])
    await wakeFrozen(
      transaction,
      locked.map(({ scheduleId }) => scheduleId),
      locked[0].now,
    );
}

function decidesWhenItFires({ locked, state, version }: ScheduleChange): boolean {
  const wakesOrSleeps =
    state.paused !== locked.paused ||
    (state.paused && state.pausedUntil?.getTime() !== locked.pausedUntil?.getTime()) ||
    (state.remainingActions === 0) !== (locked.remainingActions === 0);
  return version !== undefined || wakesOrSleeps || locked.specError !== null;
}

function isOtherState({ locked, state }: ScheduleChange): boolean {
  return state.note !== (locked.note ?? undefined) || state.remainingActions !== (locked.remainingActions ?? undefined);
}

async function updateOf(transaction: Store, change: ScheduleChange): Promise<ScheduleUpdate> {
  const { locked, state, compiled, version, actor, over = false, pausedFor } = change;
  const at = latest(locked);
  const left = await leftBehind(transaction, locked, { at, state, stays: version === undefined, compiled, pausedFor });
  const next = compiled.next(left.answeredTo.getTime());
  if (next === undefined && version && !over && !isManual(version.definition.spec)) {
    throw new InvalidScheduleError('spec', 'has no future times; give future times, or delete the schedule');
  }
  const sleeps = state.paused || state.remainingActions === 0 || next === undefined;
  const isTimed = !isManual((version?.definition ?? locked.definition).spec);
  const completed = state.remainingActions === 0 || (next === undefined && !state.paused && isTimed);
  const { overlap } = locked.definition.policies;
  const handover = {
    ...left,
    at,
    // A trigger would take a policy that it does not know for one that ends runs.
    overlap: OVERLAP_POLICIES.includes(overlap) ? overlap : undefined,
    nextFireAt: sleeps ? null : new Date(next),
  };
  return { locked, state, handover, version, actor, completed };
}

/**
 * Whether the spec itself changes. Days of calendars do not count: they may come back, but an exclusion that was
 * dropped because of them would not.
 */
function isOtherSpec({ locked, version }: ScheduleChange): boolean {
  if (!version) return false;
  const [former, next] = [locked.definition.spec, version.definition.spec];
  return !isDeepStrictEqual({ ...former, calendarDays: undefined }, { ...next, calendarDays: undefined });
}

/** Drop exclusions of times after the change that are no occurrences of the new definition. */
async function dropExclusions(transaction: Store, changes: ScheduleChange[]): Promise<void> {
  if (changes.length === 0) return;
  const changed = new Map(changes.map((change) => [change.locked.scheduleId, change]));
  const schedules = changes.map(({ locked }) => ({ scheduleId: locked.scheduleId, after: locked.now }));
  const excluded = await readExclusionsOf(transaction, schedules);
  for (const { scheduleId, scheduledTime } of excluded) {
    const { locked, compiled } = changed.get(scheduleId)!;
    if (scheduledTime <= latest(locked)) continue;
    const isOccurrence = compiled.next(scheduledTime.getTime() - 1) === scheduledTime.getTime();
    if (!isOccurrence) await deleteExclusions(transaction, locked, [scheduledTime]);
  }
}

/**
 * If the updater did not change the pause, the pause keeps its end. If the updater did not change the remaining
 * actions, keep the current number, which may have been counted down meanwhile.
 */
function nextState(locked: LockedSchedule, row: ScheduleRow, parsed: ParsedSchedule, wasPaused: boolean): UpdatedState {
  const untouched = parsed.remainingActions === (row.remainingActions ?? undefined);
  const { paused, pausedUntil } = parsed.paused === wasPaused ? locked : { paused: parsed.paused, pausedUntil: null };
  return {
    paused,
    pausedUntil,
    note: parsed.note,
    remainingActions: untouched ? (locked.remainingActions ?? undefined) : parsed.remainingActions,
  };
}
