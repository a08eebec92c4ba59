import type { ClientContext } from '../../client/context';
import { nowOf } from '../../client/update/change';
import type { MoveRow } from '../../store/schedules/moves';
import { fingerprintOf, isSame, refuseMigrating } from '../native/fingerprint';
import { isNotFound, type NativeSchedules, type RawSchedule } from '../native/native';
import { isOfOne, wordsOf } from '../words';
import { checkImported } from './check';
import { compareTimes } from './compare-times';
import type { ImportedSchedule, ImportOptions } from './import-options';
import { type TranslatedSchedule, translate } from './translate';
import type { ReadyImport } from './write';

/** What is to be written of a schedule, and what became of it once that is done; nothing is to be written without `ready`. */
export interface ReadImport {
  result: ImportedSchedule;
  ready?: ReadyImport;
}

/** Read a schedule, translate it, compare its times, and read it again. */
export async function readOne(
  context: ClientContext,
  native: NativeSchedules,
  { scheduleId, move }: { scheduleId: string; move: MoveRow | undefined },
  options: ImportOptions,
): Promise<ReadImport> {
  const one = { scheduleId, namespace: native.namespace };
  try {
    const raw = await native.describe(scheduleId);
    refuseMigrating(raw);
    const translated = await translationOf(native, scheduleId, raw);
    const { notes } = translated;
    const known = move && !move.deleted ? move : undefined;
    if (known && known.state !== 'imported') return { result: { ...one, status: 'moved', notes: [] } };
    const shadow = options.shadow ?? false;
    const fingerprint = fingerprintOf(raw);
    const isUnchanged = known?.fingerprint === fingerprint && known.staysPaused === translated.native.paused;
    if (isUnchanged && known.shadow === shadow) return { result: { ...one, status: 'unchanged', notes } };
    const schedule = await checkImported(context, translated, options);
    const isMoved = translated.options.spec.jitter !== undefined;
    const now = nowOf(context).getTime();
    await compareTimes(native, scheduleId, { compiled: schedule.compiled, isMoved, now });
    if (!isSame(raw, await native.describe(scheduleId))) {
      return {
        result: { ...one, status: 'left', reason: 'somebody changed it meanwhile; import it again', notes },
      };
    }
    const result = { ...one, status: known ? ('updated' as const) : ('imported' as const), notes };
    return options.dryRun ? { result } : { result, ready: { schedule, translated, fingerprint, known, shadow } };
  } catch (error) {
    return { result: notImported(one, error) };
  }
}

/** @throws what is not of one schedule */
export function notImported(one: { scheduleId: string; namespace: string }, error: unknown): ImportedSchedule {
  const { scheduleId, namespace } = one;
  if (isNotFound(error)) {
    return { scheduleId, namespace, status: 'left', reason: 'it was deleted meanwhile', notes: [] };
  }
  if (!isOfOne(error)) throw error;
  return { scheduleId, namespace, status: 'refused', reason: wordsOf(error), notes: [] };
}

/** Which of its two schedulers runs one says the workflow that the old one has for each. Asked only where it makes a difference. */
async function translationOf(
  native: NativeSchedules,
  scheduleId: string,
  raw: RawSchedule,
): Promise<TranslatedSchedule> {
  const window = raw.schedule?.policies?.catchupWindow;
  const makesDifference = window !== undefined && window !== null && Number(window.seconds ?? 0) <= 0;
  const isOfNewScheduler = makesDifference && !(await native.run(`temporal-sys-scheduler:${scheduleId}`));
  return translate(scheduleId, native.namespace, raw, isOfNewScheduler);
}
