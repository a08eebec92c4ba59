import type { ClientContext } from '../../client/context';
import { readMoves } from '../../store/schedules/moves';
import { chunksOf, eachOf, listed } from '../each';
import { NativeSchedules } from '../native/native';
import { isOfTemporal, wordsOf } from '../words';
import { notImported, type ReadImport, readOne } from './import-one';
import type { ImportedSchedule, ImportOptions, ImportResult } from './import-options';
import { type Quota, readQuota } from './write';
import { writeImports } from './write-many';

/** If the process is killed, at most two batches of schedules must be imported again. */
const CHUNK = 100;

export async function importSchedules(context: ClientContext, options: ImportOptions): Promise<ImportResult> {
  await context.ready();
  const { from, progress } = options;
  const quota = options.dryRun ? await readQuota(context) : undefined;
  const schedules: ImportedSchedule[] = [];
  const add = async (schedule: ImportedSchedule) => {
    schedules.push(schedule);
    await progress?.({ done: schedules.length });
  };
  for (const namespace of options.namespaces ?? [from.options.namespace]) {
    const native = new NativeSchedules(from, namespace);
    let writing = Promise.resolve();
    try {
      for await (const scheduleIds of chunksOf(native.ids(options.query), CHUNK)) {
        const read = await readChunk(context, native, scheduleIds, { ...options, quota });
        // The next schedules are read while these are written.
        await writing;
        writing = writeChunk(context, read, add);
        writing.catch(() => {});
      }
    } catch (error) {
      if (!isOfTemporal(error)) throw error;
      await writing;
      await add({ scheduleId: '*', namespace, status: 'refused', reason: wordsOf(error), notes: [] });
    }
    await writing;
  }
  return { schedules, complete: schedules.every(({ reason }) => reason === undefined) };
}

async function readChunk(
  context: ClientContext,
  native: NativeSchedules,
  scheduleIds: string[],
  options: ImportOptions & { quota: Quota | undefined },
): Promise<ReadImport[]> {
  const moves = new Map((await readMoves(context.store, { scheduleIds })).map((move) => [move.scheduleId, move]));
  const read: ReadImport[] = [];
  await eachOf(listed(scheduleIds), async (scheduleId) => {
    read.push(await readOne(context, native, { scheduleId, move: moves.get(scheduleId) }, options));
  });
  return read;
}

async function writeChunk(
  context: ClientContext,
  read: ReadImport[],
  add: (schedule: ImportedSchedule) => Promise<void>,
): Promise<void> {
  const problems = await writeImports(
    context,
    read.flatMap(({ ready }) => ready ?? []),
  );
  for (const { result, ready } of read) {
    const problem = ready && problems.get(ready);
    await add(problem === undefined ? result : notImported(result, problem));
  }
}
