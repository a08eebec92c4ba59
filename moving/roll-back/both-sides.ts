import { type ClientContext, compileStored } from '../../client/context';
import { readLive } from '../../client/update/change';
import type { CompiledSpec } from '../../core/occurrences';
import type { ScheduleRow } from '../../store/reads/read-schedules';
import type { MoveRow } from '../../store/schedules/moves';
import { untilShortlyBefore } from '../cut-over/moment';
import { refuseMigrating } from '../native/fingerprint';
import type { NativeSchedules } from '../native/native';
import { timesOf } from '../native/spec';
import { workflowIdPrefixOf } from '../native/standing';
import { MovingProblem } from '../problem';
import { giveUp } from './give-up';
import { untilAnswered } from './until-answered';

/** A schedule as it is in the ledger, and its times on both sides. */
export interface BothSides {
  row: ScheduleRow;
  compiled: CompiledSpec;
  /** The times of the Temporal schedule. */
  theirs: CompiledSpec;
  /** What the workflow IDs of the Temporal schedule begin with. */
  theirPrefix: string | undefined;
}

/**
 * Waits for the requested instant, unless the ledger has stopped already, and returns both sides as they are after the
 * wait. The checks run before the wait too, so that an existing problem is reported at once.
 *
 * @throws {MovingProblem} if the schedule cannot be rolled back
 */
export async function bothSidesAtInstant(
  context: ClientContext,
  native: NativeSchedules,
  move: MoveRow,
): Promise<BothSides> {
  const sides = await readBothSides(context, native, move);
  const { scheduleId, evidence, at } = move;
  if (evidence || !at) return sides;
  await untilShortlyBefore(at);
  // The first wait may take days, and the second some seconds. Either side may change during each wait.
  const { compiled } = await readBothSides(context, native, move);
  await untilAnswered(context, scheduleId, compiled, at);
  return readBothSides(context, native, move);
}

async function readBothSides(context: ClientContext, native: NativeSchedules, move: MoveRow): Promise<BothSides> {
  const { scheduleId } = move;
  const raw = await native.describe(scheduleId).catch((error) => giveUp(context, move, error));
  if (move.state === 'cutting_over') throw new MovingProblem('it is being cut over; finish that first');
  refuseMigrating(raw);
  const row = await readLive(context, scheduleId);
  const compiled = compileStored({ scheduleId, definition: row, damaged: row.damaged });
  if (!compiled) throw new MovingProblem('its spec cannot be evaluated here');
  return { row, compiled, theirs: timesOf(scheduleId, raw), theirPrefix: workflowIdPrefixOf(raw) };
}
