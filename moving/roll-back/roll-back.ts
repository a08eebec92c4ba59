import type { ClientContext } from '../../client/context';
import { changeLive, readLive } from '../../client/update/change';
import { isPauseOver, pausedThrough } from '../../core/decisions/pause';
import { workflowIdOf } from '../../core/identity';
import type { CompiledSpec } from '../../core/occurrences';
import type { Store } from '../../store/connection';
import { bufferOccurrences, wakeTimer } from '../../store/firings/buffered';
import { ensurePartitions, oneOfEachMonth } from '../../store/firings/partitions';
import { handBack } from '../../store/schedules/cut-over';
import { beginMove, endMove, type MoveRow, noteEvidence, readMoves } from '../../store/schedules/moves';
import { readActionInfo } from '../../store/schedules/schedule-actions';
import { moveEach } from '../move-each';
import type { MovedSchedule, MoveOptions, MoveResult } from '../move-options';
import type { NativeSchedules } from '../native/native';
import { MovedMeanwhile, MovingProblem } from '../problem';
import { firesThere, heldNotes, readSilence } from '../silence';
import { type BothSides, bothSidesAtInstant } from './both-sides';
import { forgottenNotes, leftOver } from './left-over';
import { type GoesOn, leavePaused, type Stopped, unpauseNative } from './unpause';

const NOTE = 'rolled back: Temporal’s own schedule runs it; `escapement cut-over` hands it over again';

const CHANGED_NOTE = 'changed here since it was imported: native goes on as it was, without that change';

function endNote(pausedUntil: number): string {
  return `paused until ${new Date(pausedUntil).toISOString()}, when it would have fired here again: unpause the native one then`;
}

export function rollBack(context: ClientContext, options: MoveOptions): Promise<MoveResult> {
  return moveEach(context, options, (native, move) => rollBackOne(context, native, move.scheduleId, options));
}

/**
 * Each step of the roll back stores in the row of the move what the next step needs. If the process is killed anywhere,
 * the next call continues from there.
 */
async function rollBackOne(
  context: ClientContext,
  native: NativeSchedules,
  scheduleId: string,
  { at }: MoveOptions,
): Promise<MovedSchedule> {
  const move = await begin(context, scheduleId, at);
  const nothing = { scheduleId, running: [], buffered: [], taken: [], notes: [] };
  if (move.state === 'imported') return { ...nothing, status: 'unchanged', paused: move.staysPaused };
  const sides = await bothSidesAtInstant(context, native, move);
  const { row, compiled, theirs } = sides;
  const stopped = (move.evidence as Stopped | null) ?? (await stopHere(context, scheduleId, compiled));
  const { staysPaused: paused } = (await readMoves(context.store, { scheduleIds: [scheduleId] }))[0]!;
  // Nothing is decoded here: an error would leave the schedule stopped on both sides.
  const running = (await readActionInfo(context.store, row)).running.map(({ workflowId }) => workflowId);
  const notes = row.version === move.version ? [] : [CHANGED_NOTE];
  if (paused) {
    const isPaused = await leavePaused(native, scheduleId, stopped.remainingActions);
    if (isPaused && stopped.pausedUntil !== undefined) notes.push(endNote(stopped.pausedUntil));
    notes.push(...(await firesThere(context.store, row, new Date(Math.max(stopped.pausedUntil ?? 0, Date.now())))));
    const isOurs = await endMove(context.store, scheduleId, { from: 'rolling_back', state: 'imported' });
    if (!isOurs) throw new MovedMeanwhile();
    return { ...nothing, status: 'moved', paused: isPaused, running, notes };
  }
  const goesOn = await unpauseNative(context, native, { move, row, stopped, compiled, theirs });
  // This is read before the move ends, since a read that failed after it would lose the result.
  const there = await firesThere(context.store, row, new Date(goesOn.first === null ? Date.now() : goesOn.first - 1));
  const { taken, held, forgotten } = await fillIn(context, native, { ...sides, scheduleId, stopped, goesOn });
  notes.push(...heldNotes(held), ...forgottenNotes(scheduleId, forgotten), ...there);
  const beyond = beyondLimit(taken.length, stopped.remainingActions, goesOn.given);
  if (beyond > 0) notes.push(`${beyond} of what is backfilled here is beyond the actions that were left`);
  const from = goesOn.first === null ? {} : { from: new Date(goesOn.first) };
  return { ...nothing, status: 'moved', paused: goesOn.isPaused, running, taken, notes, ...from };
}

/** How many of the times that run here have no action left. If either side has no limit, all have one. */
function beyondLimit(taken: number, left: number | null, given: number | null): number {
  return left === null || given === null ? 0 : Math.min(taken, taken + given - left);
}

async function begin(context: ClientContext, scheduleId: string, at: Date | undefined): Promise<MoveRow> {
  return changeLive(context, scheduleId, async (transaction) => {
    const actor = context.identity;
    await beginMove(transaction, { scheduleId, state: 'rolling_back', at, takeBuffer: false, actor });
    const [move] = await readMoves(transaction, { scheduleIds: [scheduleId] });
    if (!move) throw new MovingProblem('it was not imported, so there is nothing to roll back');
    return move;
  });
}

/** @throws {MovingProblem} if another call has ended the roll back */
async function readOwnMove(transaction: Store, scheduleId: string): Promise<MoveRow> {
  const [move] = await readMoves(transaction, { scheduleIds: [scheduleId] });
  if (move?.state !== 'rolling_back') throw new MovedMeanwhile();
  return move;
}

/**
 * Pauses the schedule in the ledger, so that its spec claims nothing any more, and records how far the ledger has
 * answered. A schedule that a person has paused stays paused on both sides. If another call has stopped the schedule
 * meanwhile, the record of that call is used.
 */
async function stopHere(context: ClientContext, scheduleId: string, compiled: CompiledSpec): Promise<Stopped> {
  return changeLive(context, scheduleId, async (transaction, locked) => {
    const move = await readOwnMove(transaction, scheduleId);
    if (move.evidence) return move.evidence as Stopped;
    const { note, pausedUntil } = locked;
    const isOver = isPauseOver(locked, locked.now.getTime());
    const staysPaused = locked.paused && !isOver;
    const answeredTo = locked.answeredTo.getTime();
    const why = staysPaused ? (note ?? NOTE) : NOTE;
    const remainingActions = await handBack(transaction, locked, { note: why, actor: context.identity });
    const stopped = {
      answeredTo: isOver ? pausedThrough(compiled, answeredTo, pausedUntil!) : answeredTo,
      remainingActions,
      unpausedAt: null,
      ...(staysPaused && pausedUntil !== null ? { pausedUntil: pausedUntil.getTime() } : {}),
    };
    await noteEvidence(transaction, scheduleId, { state: 'rolling_back', evidence: stopped, staysPaused, note });
    return stopped;
  });
}

/**
 * Runs here the times that neither side has handled, each for its own nominal time, up to the remaining actions.
 *
 * @returns those times, how many others a freeze has held back, and those whose runs Temporal may have forgotten
 */
async function fillIn(
  context: ClientContext,
  native: NativeSchedules,
  about: Omit<BothSides, 'row'> & { scheduleId: string; stopped: Stopped; goesOn: GoesOn },
): Promise<{ taken: Date[]; held: number; forgotten: number[] }> {
  const { scheduleId, compiled, theirs, theirPrefix, stopped, goesOn } = about;
  const row = await readLive(context, scheduleId);
  const kind = 'backfill' as const;
  const idOf = (scheduledTime: Date, workflowId: string | undefined) =>
    workflowIdOf({ scheduleId, scheduledTime, workflowId, kind, epoch: 0 });
  const { answeredTo, remainingActions } = stopped;
  // Frozen and excluded times are read only now, since a freeze may have begun while the server acted on the unpause.
  const silence = await readSilence(context.store, row, compiled, answeredTo);
  const atMost = remainingActions ?? Number.POSITIVE_INFINITY;
  const knownFrom = goesOn.since === null ? 0 : ((await native.knownFrom()) ?? Number.POSITIVE_INFINITY);
  const { left, held, forgotten } = await leftOver(
    compiled,
    { theirs, answeredTo, goesOn, now: Date.now(), knownFrom, silence, atMost },
    (at) => native.run(idOf(new Date(at), theirPrefix)),
  );
  const taken = left.map((at) => new Date(at));
  const occurrences = taken.map((scheduledTime) => ({
    scheduledTime,
    kind,
    workflowId: idOf(scheduledTime, row.action.workflowId),
  }));
  await ensurePartitions(context.store, oneOfEachMonth(taken));
  await changeLive(context, scheduleId, async (transaction, locked) => {
    await readOwnMove(transaction, scheduleId);
    await bufferOccurrences(transaction, locked, occurrences, { actor: context.identity, overlap: undefined });
    await wakeTimer(transaction, locked);
    await endMove(transaction, scheduleId, { from: 'rolling_back', state: 'imported' });
  });
  return { taken, held, forgotten };
}
