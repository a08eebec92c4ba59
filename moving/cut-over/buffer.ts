import type { ClientContext } from '../../client/context';
import { changeLive, readLive } from '../../client/update/change';
import { workflowIdOf } from '../../core/identity';
import type { Store } from '../../store/connection';
import { bufferOccurrences, wakeTimer } from '../../store/firings/buffered';
import { ensurePartitions, oneOfEachMonth } from '../../store/firings/partitions';
import { deleteShadows, takeActions } from '../../store/schedules/cut-over';
import type { LockedSchedule } from '../../store/schedules/lock';
import { endMove, type MoveRow, readMoves } from '../../store/schedules/moves';
import { isMissing } from '../../temporal/errors';
import type { MovedSchedule } from '../move-options';
import type { NativeSchedules, RawSchedule } from '../native/native';
import { workflowIdPrefixOf } from '../native/standing';
import { MovedMeanwhile } from '../problem';

/** Nominal times that a Temporal schedule may have buffered. Temporal knows no workflow of them. */
export interface Waiting {
  times: Date[];
  /**
   * Of a time before this instant, Temporal may have forgotten the workflow. Epoch milliseconds; undefined if the
   * namespace could not be described.
   */
  knownFrom: number | undefined;
}

/**
 * Asks Temporal which of these times it has not started.
 *
 * @param raw the Temporal schedule; undefined if it was deleted
 */
export async function stillWaiting(
  context: ClientContext,
  native: NativeSchedules,
  { scheduleId, raw }: { scheduleId: string; raw: RawSchedule | undefined },
  buffered: number[],
): Promise<Waiting> {
  if (buffered.length === 0) return { times: [], knownFrom: 0 };
  const workflowId = raw ? workflowIdPrefixOf(raw) : (await readLive(context, scheduleId)).action.workflowId;
  const times: Date[] = [];
  for (const scheduledTime of buffered.map((at) => new Date(at))) {
    const id = workflowIdOf({ scheduleId, scheduledTime, workflowId, kind: 'schedule', epoch: 0 });
    if (!(await native.run(id))) times.push(scheduledTime);
  }
  return { times, knownFrom: await native.knownFrom() };
}

/**
 * For a schedule that was cut over before: runs the starts that its Temporal schedule had buffered then, if that is
 * requested now.
 */
export async function takeLeftBuffer(
  context: ClientContext,
  native: NativeSchedules,
  move: MoveRow,
  takeBuffer: boolean,
): Promise<MovedSchedule> {
  const { scheduleId, staysPaused: paused } = move;
  const buffered = move.buffer ?? [];
  const result = { scheduleId, status: 'unchanged' as const, paused, running: [], buffered, taken: [], notes: [] };
  if (!takeBuffer || buffered.length === 0) return result;
  const raw = await native.describe(scheduleId).catch((error) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  const waiting = await stillWaiting(context, native, { scheduleId, raw }, buffered.map(Number));
  return changeLive(context, scheduleId, async (transaction, locked) => {
    const [current] = await readMoves(transaction, { scheduleIds: [scheduleId] });
    if (current?.state !== 'cut_over') throw new MovedMeanwhile();
    // Another call may have taken these starts meanwhile.
    const there = new Set(current.buffer?.map(Number));
    const times = waiting.times.filter((time) => there.has(time.getTime()));
    const { taken, left } = await runForTheirTime(context, transaction, locked, { ...waiting, times });
    await endMove(transaction, scheduleId, { from: 'cut_over', state: 'cut_over', buffer: left });
    return { ...result, buffered: left, taken, notes: oldNotes(scheduleId, left, waiting) };
  });
}

/**
 * Buffers these times, so that they fire one after the other, as they waited in the server's buffer. As in Temporal,
 * each uses an action, unless it has a firing already.
 *
 * @returns of the first times that have certainly not run, up to the remaining actions, those without a firing; and the
 *   times that are left
 */
export async function runForTheirTime(
  context: ClientContext,
  transaction: Store,
  locked: LockedSchedule,
  { times, knownFrom = Number.POSITIVE_INFINITY }: Waiting,
): Promise<{ taken: Date[]; left: Date[] }> {
  const known = times.filter((time) => time.getTime() >= knownFrom);
  const due = known.slice(0, locked.remainingActions ?? known.length);
  const left = times.filter((time) => !due.includes(time));
  if (due.length === 0) return { taken: [], left };
  const { scheduleId } = locked;
  const { workflowId } = locked.definition.action;
  // No workflow has run for these times. So their months may be created again even if they are retired.
  await ensurePartitions(transaction, oneOfEachMonth(due), { allowRetired: true });
  await deleteShadows(transaction, locked, FAR, due);
  const kind = 'backfill' as const;
  const occurrences = due.map((scheduledTime) => ({
    scheduledTime,
    kind,
    workflowId: workflowIdOf({ scheduleId, scheduledTime, workflowId, kind, epoch: 0 }),
  }));
  const by = { actor: context.identity, overlap: 'BUFFER_ALL' as const };
  const written = await bufferOccurrences(transaction, locked, occurrences, by);
  await takeActions(transaction, locked, written.length);
  await wakeTimer(transaction, locked);
  return { taken: written.sort((one, other) => one.getTime() - other.getTime()), left };
}

const FAR = new Date('9999-01-01T00:00:00Z');

/** In words: which of the times that do not run here may have run in Temporal. */
export function oldNotes(scheduleId: string, left: Date[], { knownFrom }: Waiting): string[] {
  const old = left.filter((time) => knownFrom === undefined || time.getTime() < knownFrom);
  if (old.length === 0) return [];
  const why =
    knownFrom === undefined
      ? 'the namespace could not be described, so no buffered time was taken, as each may have run'
      : `buffered times before ${new Date(knownFrom).toISOString()} may have run, as Temporal may have forgotten`;
  const range = `--start ${old[0]!.toISOString()} --end ${old.at(-1)!.toISOString()}`;
  return [`${why}: \`escapement schedule backfill ${scheduleId} ${range} --refire\` runs them`];
}
