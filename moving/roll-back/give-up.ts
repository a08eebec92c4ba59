import type { ClientContext } from '../../client/context';
import { changeLive } from '../../client/update/change';
import { handBack } from '../../store/schedules/cut-over';
import { endMove, type MoveRow, readMoves } from '../../store/schedules/moves';
import { isMissing } from '../../temporal/errors';
import { MovedMeanwhile, MovingProblem } from '../problem';

const NOTE = 'its schedule in Temporal was deleted while it moved: unpause it to run it here, or delete it';

const PAUSED = 'it no longer exists in Temporal, and is paused here: unpause it to run it here, or delete it';
const AS_IT_IS = 'it no longer exists in Temporal, and stays here as it is; `escapement export` creates it there';

/**
 * Ends the move of a schedule whose Temporal schedule was deleted. The schedule then belongs to the ledger. Nobody
 * knows whether it should still fire, so it stays paused if the move has stopped it, or if it was in shadow.
 *
 * @param error the answer to a call about the Temporal schedule
 * @throws {MovingProblem} that says what is left; any other error as it is
 */
export async function giveUp(context: ClientContext, { scheduleId, state }: MoveRow, error: unknown): Promise<never> {
  if (!isMissing(error)) throw error;
  const isStopped = await changeLive(context, scheduleId, async (transaction, locked) => {
    const [move] = await readMoves(transaction, { scheduleIds: [scheduleId] });
    if (move?.state !== state) throw new MovedMeanwhile();
    const { evidence, shadow, staysPaused, note, buffer } = move;
    const isHalfMoved = state === 'cutting_over' || evidence !== null;
    const isStopped = isHalfMoved && (locked.paused || shadow);
    const actor = context.identity;
    if (isStopped) await handBack(transaction, locked, { note: staysPaused ? (note ?? NOTE) : NOTE, actor });
    await endMove(transaction, scheduleId, { from: state, state: 'cut_over', buffer });
    return isStopped;
  });
  throw new MovingProblem(isStopped ? PAUSED : AS_IT_IS);
}
