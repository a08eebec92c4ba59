import type { ClientContext } from '../../client/context';
import { ScheduleAlreadyRunning } from '../../client/errors';
import { revive } from '../../client/register';
import { TenantQuotaError } from '../../client/tenants/errors';
import { refuseOutside, takePlaces } from '../../client/tenants/limits';
import { unlocked } from '../../client/transaction';
import { changeLive } from '../../client/update/change';
import { writeChanges } from '../../client/update/update';
import { isPausedAt } from '../../core/decisions/pause';
import { insertSchedules } from '../../store/schedules/create-schedule';
import { type Labels, writeLabels } from '../../store/schedules/labels';
import { readOwner } from '../../store/schedules/lock';
import {
  intoShadow,
  type MoveRow,
  readMoves,
  replaceFingerprint,
  setShadow,
  writeImported,
} from '../../store/schedules/moves';
import { readTenantUse } from '../../store/schedules/tenants';
import { transact } from '../../store/transaction';
import { changedLabels, fingerprintOf, hasFingerprint } from '../native/fingerprint';
import type { RawSchedule } from '../native/native';
import { MovedMeanwhile, MovingProblem, NEWER_FORM } from '../problem';
import { type CheckedImport, refuseOthersIds } from './check';
import type { TranslatedSchedule } from './translate';

export interface ReadyImport {
  schedule: CheckedImport;
  translated: TranslatedSchedule;
  raw: RawSchedule;
  /** The row of an earlier import; undefined for the first import. */
  known: MoveRow | undefined;
  shadow: boolean;
}

const PAUSED_NOTE = 'imported from Temporal, where it still runs: `escapement cut-over` hands it over';

const BOTH_CHANGED =
  'it was changed here and in Temporal since its import: change it back in Temporal, or delete it here and import it again';
const FIRING =
  'it fires here, and an import would stop it: to hand it over, pause it here, unpause it in Temporal and cut it over';
const WAITING =
  'firings wait here for their turn, and shadow mode would skip them: import it in shadow once none waits';

/**
 * Writes an imported schedule and the state of its move, in one transaction.
 *
 * @throws {ScheduleAlreadyRunning} if a schedule with this ID exists and was not imported, or is of another tenant
 * @throws {MovingProblem} if the move of the schedule has begun since it was read, or for a reason of {@link
 * refuseUpdate}
 * @throws {InvalidScheduleError} for a namespace or task queue that the schedule's tenant may not use
 * @throws {TenantQuotaError} if its tenant would exceed its quota of schedules
 * @throws {ScheduleLockedError} when another open transaction keeps its ID or the quota of its tenant locked
 */
export async function writeImport(context: ClientContext, ready: ReadyImport): Promise<void> {
  if (ready.known) await updateImported(context, ready, ready.known);
  else await unlocked(context, ready.schedule.scheduleId, () => createImported(context, ready));
}

/**
 * Refuses what {@link writeImport} would refuse, without locks, for a dry run.
 *
 * @param quota of the client's tenant; a schedule that would be created takes a place of it
 * @throws {ScheduleAlreadyRunning | InvalidScheduleError | TenantQuotaError} as {@link writeImport} does
 */
export async function refuseWrite(
  context: ClientContext,
  { schedule, known, raw }: ReadyImport,
  quota: Quota | undefined,
): Promise<void> {
  const { scheduleId, definition } = schedule;
  const owner = known ? undefined : await readOwner(context.store, scheduleId);
  if (owner && (!owner.deleted || owner.tenant !== schedule.tenant)) throw new ScheduleAlreadyRunning(scheduleId);
  if (known && hasFingerprint(raw, known.fingerprint)) return;
  if (known) refuseOthersIds(scheduleId, known.tenant, definition.action.workflowId);
  await refuseOutside(context.store, [{ ...schedule, tenant: known?.tenant ?? schedule.tenant }]);
  if (known || !quota) return;
  if (quota.live >= quota.limit) throw new TenantQuotaError(schedule.tenant, { ...quota, more: 1 });
  quota.live += 1;
}

/** How many live schedules a tenant may have, and how many it would have by now in a dry run. */
export interface Quota {
  limit: number;
  live: number;
}

/** The quota of the client's tenant; undefined if it has none. */
export async function readQuota({ store, tenant, now }: ClientContext): Promise<Quota | undefined> {
  if (tenant === undefined) return undefined;
  const [use] = await readTenantUse(store, { tenant, now: now?.() });
  return use && use.schedules !== null ? { limit: use.schedules, live: use.live } : undefined;
}

async function createImported(context: ClientContext, ready: ReadyImport): Promise<void> {
  const { schedule, shadow } = ready;
  const written = newScheduleOf(context, ready);
  await transact(context.store, async (transaction) => {
    const limits = await refuseOutside(transaction, [schedule]);
    if ((limits.get(schedule.tenant)?.schedules ?? null) !== null) await takePlaces(transaction, [schedule]);
    const isNew = (await insertSchedules(transaction, [written])).size > 0;
    if (!isNew) await revive(transaction, written);
    if (shadow) await intoShadow(transaction, [schedule.scheduleId]);
    await writeImported(transaction, [moveOf(context, ready)]);
  });
}

type Read = Pick<ReadyImport, 'raw' | 'translated' | 'shadow'>;

/** Whether the schedule has the definition, pause and mode of its last import. */
export function isAsImported(move: MoveRow, { raw, translated: { native }, shadow }: Read): boolean {
  return hasFingerprint(raw, move.fingerprint) && move.staysPaused === native.paused && move.shadow === shadow;
}

/**
 * @throws {MovingProblem} for an import that would discard a change made here, or stop a schedule that a person lets
 *   fire here. Also for an import into shadow mode that would skip firings that wait here, or undo the form of a newer
 *   program
 */
export function refuseUpdate(move: MoveRow, read: Read, now: Date): void {
  if (isAsImported(move, read)) return;
  const { raw, shadow } = read;
  if (move.isChanged && !hasFingerprint(raw, move.fingerprint)) throw new MovingProblem(BOTH_CHANGED);
  if (!move.shadow && !isPausedAt(move, now.getTime())) throw new MovingProblem(FIRING);
  if (shadow && move.isNewer) throw new MovingProblem(NEWER_FORM);
  if (shadow && !move.shadow && move.waits) throw new MovingProblem(WAITING);
}

async function updateImported(context: ClientContext, ready: ReadyImport, known: MoveRow): Promise<void> {
  const { schedule, shadow, raw } = ready;
  const { scheduleId, compiled } = schedule;
  const isOther = !hasFingerprint(raw, known.fingerprint);
  await changeLive(context, scheduleId, async (transaction, locked) => {
    const [move] = await readMoves(transaction, { scheduleIds: [scheduleId] });
    if (move?.state !== 'imported' || move.namespace !== known.namespace) {
      throw new MovedMeanwhile();
    }
    refuseUpdate(move, ready, locked.now);
    const labels = labelsOf(ready, move);
    if (isAsImported(move, ready)) {
      await writeLabels(transaction, [labels]);
      await replaceFingerprint(transaction, move, fingerprintOf(raw));
      return;
    }
    if (isOther) {
      // The client may have no tenant, unlike the schedule.
      refuseOthersIds(scheduleId, locked.tenant, schedule.definition.action.workflowId);
      await refuseOutside(transaction, [{ ...schedule, tenant: locked.tenant }]);
    }
    const { spec } = (isOther ? schedule : locked).definition;
    await setShadow(transaction, scheduleId, { shadow, spec });
    await writeChanges(transaction, [
      {
        locked,
        // The end of a pause in shadow mode must not let the schedule fire once shadow mode is over.
        state: { ...stateOf(ready), pausedUntil: shadow === move.shadow ? locked.pausedUntil : null },
        compiled,
        version: isOther ? { definition: schedule.definition, args: schedule.args ?? null } : undefined,
        labels,
        actor: context.identity,
        over: true,
        // Temporal runs an imported schedule, unless a person has paused it on both sides.
        ...(move.shadow && locked.paused ? {} : { pausedFor: 'native' as const }),
      },
    ]);
    const version = isOther ? undefined : move.version;
    await writeImported(transaction, [{ ...moveOf(context, ready), version }]);
  });
}

/**
 * The labels that were changed in Temporal since the last import. Others may have been set in the ledger, and stay;
 * owner, run-book and external ID only exist here.
 */
function labelsOf({ schedule, raw }: ReadyImport, { scheduleId, fingerprint }: MoveRow): Labels {
  const changed = changedLabels(raw, fingerprint);
  return {
    ...{ scheduleId, owner: undefined, runbook: undefined, externalId: undefined },
    memo: changed.memo ? (schedule.memo ?? {}) : undefined,
    searchAttributes: changed.searchAttributes ? (schedule.searchAttributes ?? {}) : undefined,
  };
}

export function newScheduleOf(context: ClientContext, ready: ReadyImport) {
  return { ...ready.schedule, ...stateOf(ready), actor: context.identity, now: context.now?.() };
}

/** In shadow mode, a schedule is paused in the ledger only if it is paused in Temporal. Other imports are paused. */
function stateOf({ shadow, translated: { native } }: ReadyImport) {
  const { remainingActions } = native;
  if (shadow) return { paused: native.paused, note: native.note, remainingActions };
  return { paused: true, note: PAUSED_NOTE, remainingActions };
}

export function moveOf(context: ClientContext, { schedule, translated, raw }: ReadyImport) {
  return {
    scheduleId: schedule.scheduleId,
    namespace: schedule.definition.namespace,
    fingerprint: fingerprintOf(raw),
    staysPaused: translated.native.paused,
    note: translated.native.note ?? null,
    actor: context.identity,
    now: context.now?.(),
  };
}
