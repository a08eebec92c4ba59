import type { ClientContext } from '../../client/context';
import { compileStored, unlessInvalid } from '../../client/context';
import { changeLive, readLive } from '../../client/update/change';
import { wholeGap } from '../../core/decisions/catchup';
import { problemOfStored } from '../../core/definition/stored-definition';
import type { CompiledSpec } from '../../core/occurrences';
import type { Store } from '../../store/connection';
import { takeOver } from '../../store/schedules/cut-over';
import { beginMove, endMove, type MoveRow, noteEvidence, readMoves } from '../../store/schedules/moves';
import { isMissing } from '../../temporal/errors';
import { moveEach } from '../move-each';
import type { CutOverOptions, MovedSchedule, MoveResult } from '../move-options';
import { hasFingerprint, refuseMigrating } from '../native/fingerprint';
import type { NativeSchedules, RawSchedule } from '../native/native';
import { timesOf } from '../native/spec';
import {
  actionsOf,
  noteOf,
  pauseNote,
  pauseOf,
  refuseTooManyActions,
  runningOf,
  type Standing,
  standingOf,
} from '../native/standing';
import { untilInState } from '../native/until-in-state';
import { MovedMeanwhile, MovingProblem, NEWER_FORM, unusable } from '../problem';
import { oldNotes, runForTheirTime, stillWaiting, takeLeftBuffer } from './buffer';
import { firstOfOurs, maybeBuffered } from './handover';
import { momentOf } from './moment';

const GONE =
  'it no longer exists in Temporal; `escapement roll-back` ends its move, and leaves it here, paused until you unpause it';

const CHANGED = 'it was changed there since it was imported; import it again';

const UNCOUNTED = 'its times since the import, which Temporal answered, take too long to count: no gap has them';

const LOOK = '; look whether its native schedule is paused';

export function cutOver(context: ClientContext, options: CutOverOptions): Promise<MoveResult> {
  return moveEach(context, options, (native, move) => cutOverOne(context, native, move.scheduleId, options));
}

/**
 * Each step of the cut-over stores in the row of the move what the next step needs. If the process is killed anywhere,
 * the next call continues from there.
 */
async function cutOverOne(
  context: ClientContext,
  native: NativeSchedules,
  scheduleId: string,
  { at, takeBuffer = false }: CutOverOptions,
): Promise<MovedSchedule> {
  const move = await begin(context, scheduleId, { at, takeBuffer });
  if (move.state === 'cut_over') return takeLeftBuffer(context, native, move, takeBuffer);
  await refuseUnusable(context, scheduleId);
  const now = await native.describe(scheduleId).catch((error) => {
    throw isMissing(error) ? new MovingProblem(GONE) : error;
  });
  refuseMigrating(now);
  refuseTooManyActions(now);
  // Once this move has paused the Temporal schedule, the cut-over continues with the imported definition. If the move
  // ended here, the times since the pause would stay unanswered. A pause by Escapement without evidence in the row
  // comes from a former move.
  const [current] = pauseOf(now) === 'ours' ? await readMoves(context.store, { scheduleIds: [scheduleId] }) : [];
  if (!current?.evidence) await refuseUnfit(context, move, now);
  if (pauseOf(now) !== 'ours') {
    // If a former call failed to pause it, the instant in the row is that of the former call.
    await pauseNative(context, native, { move: { ...move, at: at ?? null }, theirs: timesOf(scheduleId, now) });
  }
  const after = await untilInState(native, scheduleId, (raw) => pauseOf(raw) !== 'no');
  if (!after) {
    throw new MovingProblem(
      'the server has not acted on the pause within a minute, or somebody unpaused it; cut it over again',
    );
  }
  return handOver(context, native, { scheduleId, after, takeBuffer: takeBuffer || move.takeBuffer });
}

/** @throws {ScheduleNotFoundError | MovingProblem} for a schedule that was deleted here, or that could not fire here */
async function refuseUnusable(context: ClientContext, scheduleId: string): Promise<void> {
  const row = await readLive(context, scheduleId);
  if (row.damaged.length > 0) throw new MovingProblem('its stored definition is damaged; update it first');
  const problem = problemOfStored(row);
  if (problem) throw unusable(problem);
  compileOurs({ scheduleId, definition: row });
}

function compileOurs(schedule: Parameters<typeof compileStored>[0]): CompiledSpec {
  const compiled = compileStored(schedule);
  if (!compiled) throw new MovingProblem('its spec cannot be evaluated here');
  return compiled;
}

async function begin(
  context: ClientContext,
  scheduleId: string,
  { at, takeBuffer }: { at: Date | undefined; takeBuffer: boolean },
): Promise<MoveRow> {
  return changeLive(context, scheduleId, async (transaction) => {
    await beginMove(transaction, { scheduleId, state: 'cutting_over', at, takeBuffer, actor: context.identity });
    const move = await readMove(transaction, scheduleId);
    if (move.state === 'rolling_back') throw new MovingProblem('it is being rolled back; finish that first');
    return move;
  });
}

/** @throws {MovingProblem} if the schedule was not imported, or was deleted and created again since */
async function readMove(store: Store, scheduleId: string): Promise<MoveRow> {
  const [move] = await readMoves(store, { scheduleIds: [scheduleId] });
  if (!move) throw new MovingProblem('it was not imported; import it first');
  return move;
}

/**
 * Ends the move of a schedule that was changed in Temporal since its import, or that would not fire here; nothing is
 * paused yet. While this call waited, the schedule may have been imported again, and another call may cut it over: that
 * move goes on.
 */
async function refuseUnfit(
  { store }: ClientContext,
  { scheduleId, fingerprint }: MoveRow,
  raw: RawSchedule,
): Promise<void> {
  const { isNewer } = await readMove(store, scheduleId);
  if (!isNewer && hasFingerprint(raw, fingerprint)) return;
  const isOurs = await endMove(store, scheduleId, { from: 'cutting_over', state: 'imported', fingerprint });
  if (!isOurs) throw new MovedMeanwhile();
  throw new MovingProblem(isNewer ? NEWER_FORM : CHANGED);
}

/**
 * Records the state of the Temporal schedule, and pauses it. A Temporal schedule that a person has paused already stays
 * as it is.
 */
async function pauseNative(
  context: ClientContext,
  native: NativeSchedules,
  { move, theirs }: { move: MoveRow; theirs: CompiledSpec },
): Promise<void> {
  const { scheduleId, at } = move;
  const { raw, readAt } = await momentOf(native, scheduleId, theirs, at);
  // Another call has paused the schedule meanwhile. That call recorded the state before the pause.
  if (pauseOf(raw) === 'ours') return;
  // The wait may have taken days. Once the Temporal schedule is paused, a schedule that is refused here would run on
  // neither side.
  refuseMigrating(raw);
  refuseTooManyActions(raw);
  await refuseUnusable(context, scheduleId);
  await refuseUnfit(context, move, raw);
  const staysPaused = pauseOf(raw) === 'of a person';
  const note = noteOf(raw) ?? null;
  const evidence = { ...standingOf(raw, theirs), readAt };
  const noted = { state: 'cutting_over', evidence, staysPaused, note } as const;
  if (!(await noteEvidence(context.store, scheduleId, noted))) throw new MovedMeanwhile();
  if (!staysPaused) await native.setPaused(scheduleId, true, pauseNote(context.identity));
}

interface Handover {
  scheduleId: string;
  after: RawSchedule;
  takeBuffer: boolean;
}

async function handOver(
  context: ClientContext,
  native: NativeSchedules,
  { scheduleId, after: raw, takeBuffer }: Handover,
): Promise<MovedSchedule> {
  const theirs = timesOf(scheduleId, raw);
  const after = standingOf(raw, theirs);
  // The move is read again: if another call has paused the schedule since this one began, that call has recorded the
  // state before the pause.
  const [recorded] = await readMoves(context.store, { scheduleIds: [scheduleId] });
  const before = (recorded?.evidence as Standing | null | undefined) ?? after;
  refuseTooManyActions(raw);
  const remainingActions = actionsOf(raw);
  // Without an action left, Temporal would not start what it has buffered either.
  const buffered =
    remainingActions === 0 ? [] : maybeBuffered(theirs, before, raw.schedule?.policies?.overlapPolicy ?? 0);
  const waiting = await stillWaiting(context, native, { scheduleId, raw }, buffered);
  const running = runningOf(raw);
  const { from, paused, taken, left, isCounted } = await changeLive(
    context,
    scheduleId,
    async (transaction, locked) => {
      const [move] = await readMoves(transaction, { scheduleIds: [scheduleId] });
      // The pause of this call may have arrived after other calls have cut the schedule over and rolled it back.
      if (move?.state !== 'cutting_over') throw new MovedMeanwhile(move?.state === 'cut_over' ? '' : LOOK);
      const compiled = compileOurs(locked);
      const from = firstOfOurs(compiled, { theirs, before, after, now: Date.now() });
      const answeredTo = new Date(
        from === undefined ? Math.max(locked.now.getTime(), locked.answeredTo.getTime()) : from - 1,
      );
      // By now the Temporal schedule is paused. So a spec that takes too long to count is taken over without a gap.
      const gaps = unlessInvalid(() => {
        const gap = wholeGap(compiled, locked.answeredTo.getTime(), answeredTo.getTime(), 'native');
        return gap ? [gap] : [];
      });
      await takeOver(transaction, locked, {
        from: from === undefined ? undefined : new Date(from),
        answeredTo,
        gaps: gaps ?? [],
        running,
        paused: move.staysPaused,
        note: move.note,
        remainingActions,
        actor: context.identity,
      });
      const { taken, left } = takeBuffer
        ? await runForTheirTime(context, transaction, { ...locked, remainingActions }, waiting)
        : { taken: [], left: waiting.times };
      // Another call may have ended the move by now: the late writes of that call do not wait for the schedule's lock.
      const end = { from: 'cutting_over', state: 'cut_over', buffer: left } as const;
      if (!(await endMove(transaction, scheduleId, end))) throw new MovedMeanwhile(LOOK);
      return { from, paused: move.staysPaused, taken, left, isCounted: gaps !== undefined };
    },
  );
  return {
    scheduleId,
    status: 'moved',
    ...(from === undefined || paused ? {} : { from: new Date(from) }),
    paused,
    running: running.map((one) => one.workflowId),
    buffered: left,
    taken,
    notes: [...(isCounted ? [] : [UNCOUNTED]), ...oldNotes(scheduleId, left, waiting)],
  };
}
