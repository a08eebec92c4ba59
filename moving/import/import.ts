import type { ClientContext } from '../../client/context';
import { readMoves } from '../../store/schedules/moves';
import { eachOf } from '../each';
import { NativeSchedules } from '../native/native';
import { isOfTemporal, wordsOf } from '../words';
import { importOne } from './import-one';
import type { ImportedSchedule, ImportOptions, ImportResult } from './import-options';

/** Import Temporal's own schedules, one by one: what is wrong with one holds up no other. */
export async function importSchedules(context: ClientContext, options: ImportOptions): Promise<ImportResult> {
  await context.ready();
  const { from, progress } = options;
  const schedules: ImportedSchedule[] = [];
  const add = async (schedule: ImportedSchedule) => {
    schedules.push(schedule);
    await progress?.({ done: schedules.length });
  };
  for (const namespace of options.namespaces ?? [from.options.namespace]) {
    const native = new NativeSchedules(from, namespace);
    try {
      await eachOf(native.ids(options.query), async (scheduleId) => {
        const [move] = await readMoves(context.store, { scheduleIds: [scheduleId] });
        await add(await importOne(context, native, { scheduleId, move }, options));
      });
    } catch (error) {
      if (!isOfTemporal(error)) throw error;
      await add({ scheduleId: '*', namespace, status: 'refused', reason: wordsOf(error), notes: [] });
    }
  }
  return { schedules, complete: schedules.every(({ reason }) => reason === undefined) };
}
