import type { ClientContext } from '../../client/context';
import { ScheduleAlreadyRunning } from '../../client/errors';
import { isForeign, nowOf } from '../../client/update/change';
import { isOfRowAlone } from '../../store/postgres-errors';
import { type MoveRow, replaceFingerprint } from '../../store/schedules/moves';
import { changedLabels, hasFingerprint, isSame, refuseMigrating, renewed } from '../native/fingerprint';
import { isNotFound, type NativeSchedules, type RawSchedule } from '../native/native';
import { pauseOf } from '../native/standing';
import { MovingProblem } from '../problem';
import { isOfOne, wordsOf } from '../words';
import { checkImported } from './check';
import { compareTimes } from './compare-times';
import type { ImportedSchedule, ImportOptions } from './import-options';
import { type TranslatedSchedule, translate } from './translate';
import { isAsImported, type Quota, type ReadyImport, refuseUpdate, refuseWrite } from './write';

/** The result applies once `ready` is written. Without `ready` there is nothing to write. */
export interface ReadImport {
  result: ImportedSchedule;
  ready?: ReadyImport;
}

const OF_OTHER_NAMESPACE =
  'a schedule here has the same name and was imported from another namespace: delete that one, if this one replaces it';

/**
 * Reads and translates a schedule. Unless the schedule was moved or is unchanged, its times are compared, and it is
 * read again to notice changes.
 */
export async function readOne(
  context: ClientContext,
  native: NativeSchedules,
  { scheduleId, move }: { scheduleId: string; move: MoveRow | undefined },
  options: ImportOptions & { quota: Quota | undefined },
): Promise<ReadImport> {
  const one = { scheduleId, namespace: native.namespace };
  try {
    const raw = await native.describe(scheduleId);
    const known = move && !move.deleted ? move : undefined;
    if (known && isForeign(context, known)) throw new ScheduleAlreadyRunning(scheduleId);
    if (known && known.namespace !== native.namespace) throw new MovingProblem(OF_OTHER_NAMESPACE);
    const isOfSame = known && hasFingerprint(raw, known.fingerprint);
    // The fingerprint of an earlier build matches only as long as the server answers in the same order.
    if (isOfSame && !options.dryRun) await replaceFingerprint(context.store, known, renewed(raw, known.fingerprint));
    if (known && known.state !== 'imported') return { result: { ...one, status: 'moved', notes: [] } };
    refuseMigrating(raw);
    const isOfNew = await isOfNewScheduler(native, scheduleId, raw);
    const translated = keepingPause(known, raw, translate(scheduleId, native.namespace, raw, isOfNew ?? false));
    const { notes } = translated;
    const shadow = options.shadow ?? false;
    const read = { raw, translated, shadow };
    if (known && isAsImported(known, read) && !isRelabelled(raw, known)) {
      return { result: { ...one, status: 'unchanged', notes } };
    }
    if (known) refuseUpdate(known, read, nowOf(context));
    const schedule = await checkImported(context, translated, options);
    const isMoved = translated.options.spec.jitter !== undefined;
    const now = nowOf(context).getTime();
    await compareTimes(native, scheduleId, { compiled: schedule.compiled, isMoved, now });
    const left = (reason: string) => ({ result: { ...one, status: 'left' as const, reason, notes } });
    if (!isSame(raw, await native.describe(scheduleId))) return left('somebody changed it meanwhile; import it again');
    if ((await isOfNewScheduler(native, scheduleId, raw)) !== isOfNew) {
      return left('the server moved it between its two schedulers meanwhile; import it again');
    }
    const result = { ...one, status: known ? ('updated' as const) : ('imported' as const), notes };
    const ready = { schedule, known, ...read };
    if (!options.dryRun) return { result, ready };
    await refuseWrite(context, ready, options.quota);
    return { result };
  } catch (error) {
    return { result: notImported(one, error) };
  }
}

function isRelabelled(raw: RawSchedule, { fingerprint }: MoveRow): boolean {
  const { memo, searchAttributes } = changedLabels(raw, fingerprint);
  return memo || searchAttributes;
}

/**
 * If a person had paused a schedule here before its roll back, it stays paused in Temporal under Escapement's note. The
 * import takes that pause as the person's, with the note from the row of the move.
 */
function keepingPause(
  known: MoveRow | undefined,
  raw: RawSchedule,
  translated: TranslatedSchedule,
): TranslatedSchedule {
  if (!known || pauseOf(raw) !== 'ours') return translated;
  const { staysPaused: paused, note } = known;
  return { ...translated, native: { ...translated.native, paused, note: note ?? undefined } };
}

export function notImported(one: { scheduleId: string; namespace: string }, error: unknown): ImportedSchedule {
  const { scheduleId, namespace } = one;
  if (isNotFound(error)) {
    return { scheduleId, namespace, status: 'left', reason: 'it was deleted meanwhile', notes: [] };
  }
  if (!isOfOne(error) && !isOfRowAlone(error)) throw error;
  return { scheduleId, namespace, status: 'refused', reason: wordsOf(error), notes: [] };
}

const OLD_SCHEDULER = 'temporal-sys-scheduler-workflow';

/**
 * Whether Temporal's new scheduler runs the schedule. The old scheduler has a workflow for each schedule. The new
 * scheduler keeps the ID of that workflow for a while, with a workflow of another type; after a takeover, the old
 * workflow has ended. The result is undefined, without a request, if both schedulers apply the same catch-up window.
 */
async function isOfNewScheduler(
  native: NativeSchedules,
  scheduleId: string,
  { schedule }: RawSchedule,
): Promise<boolean | undefined> {
  const window = schedule?.policies?.catchupWindow;
  if (window === undefined || window === null || Number(window.seconds ?? 0) > 0) return undefined;
  const run = await native.run(`temporal-sys-scheduler:${scheduleId}`);
  return !(run?.isRunning && run.workflowType === OLD_SCHEDULER);
}
