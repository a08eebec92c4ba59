import type { ClientContext } from '../../client/context';
import { isLockTimeout, isOfRowAlone } from '../../store/postgres-errors';
import { insertSchedules } from '../../store/schedules/create-schedule';
import { intoShadow, writeImported } from '../../store/schedules/moves';
import { transact } from '../../store/transaction';
import { isOfOne } from '../words';
import { moveOf, newScheduleOf, type ReadyImport, writeImport } from './write';

/**
 * Write imported schedules: new schedules without a tenant in one transaction, and the others one by one.
 *
 * @returns the problems of the schedules that were not written
 */
export async function writeImports(context: ClientContext, all: ReadyImport[]): Promise<Map<ReadyImport, unknown>> {
  const problems = new Map<ReadyImport, unknown>();
  const written = await createMany(context, all.filter(isPlain));
  for (const ready of all) {
    if (written.has(ready)) continue;
    try {
      await writeImport(context, ready);
    } catch (error) {
      problems.set(ready, error);
    }
  }
  return problems;
}

/** Whether the schedule is new and counts against no tenant's quota. */
function isPlain({ known, schedule }: ReadyImport): boolean {
  return !known && schedule.tenant === '';
}

/** @returns the schedules that were written. A schedule whose ID was used before needs a write of its own */
async function createMany(context: ClientContext, all: ReadyImport[]): Promise<Set<ReadyImport>> {
  if (all.length === 0) return new Set();
  try {
    return await transact(context.store, async (transaction) => {
      const created = await insertSchedules(
        transaction,
        all.map((ready) => newScheduleOf(context, ready)),
      );
      const written = all.filter(({ schedule }) => created.has(schedule.scheduleId));
      const shadows = written.filter(({ shadow }) => shadow).map(({ schedule }) => schedule.scheduleId);
      if (shadows.length > 0) await intoShadow(transaction, shadows);
      await writeImported(
        transaction,
        written.map((ready) => moveOf(context, ready)),
      );
      return new Set(written);
    });
  } catch (error) {
    // If one schedule fails or is locked, the whole transaction fails, so each schedule is then written by itself.
    if (isOfOne(error) || isLockTimeout(error) || isOfRowAlone(error)) return new Set();
    throw error;
  }
}
