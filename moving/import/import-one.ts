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
import { writeImport } from './write';

/** Read, translate, compare, read again, write. */
export async function importOne(
  context: ClientContext,
  native: NativeSchedules,
  { scheduleId, move }: { scheduleId: string; move: MoveRow | undefined },
  options: ImportOptions,
): Promise<ImportedSchedule> {
  const one = { scheduleId, namespace: native.namespace };
  try {
    const raw = await native.describe(scheduleId);
    refuseMigrating(raw);
    const translated = await translationOf(native, scheduleId, raw);
    const { notes } = translated;
    const known = move && !move.deleted ? move : undefined;
    if (known && known.state !== 'imported') return { ...one, status: 'moved', notes: [] };
    const shadow = options.shadow ?? false;
    const fingerprint = fingerprintOf(raw);
    const isUnchanged = known?.fingerprint === fingerprint && known.staysPaused === translated.native.paused;
    if (isUnchanged && known.shadow === shadow) return { ...one, status: 'unchanged', notes };
    const schedule = await checkImported(context, translated, options);
    const isMoved = translated.options.spec.jitter !== undefined;
    const now = nowOf(context).getTime();
    await compareTimes(native, scheduleId, { compiled: schedule.compiled, isMoved, now });
    if (!isSame(raw, await native.describe(scheduleId))) {
      return { ...one, status: 'left', reason: 'somebody changed it meanwhile; import it again', notes };
    }
    if (!options.dryRun) await writeImport(context, { schedule, translated, fingerprint, known, shadow });
    return { ...one, status: known ? 'updated' : 'imported', notes };
  } catch (error) {
    if (isNotFound(error)) return { ...one, status: 'left', reason: 'it was deleted meanwhile', notes: [] };
    if (!isOfOne(error)) throw error;
    return { ...one, status: 'refused', reason: wordsOf(error), notes: [] };
  }
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
