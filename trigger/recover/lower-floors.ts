import { StatementTimeoutError } from '../../core/errors';
import { readBelow } from '../../store/firings/below';
import type { TriggerContext } from '../context';
import { KNOWN_LANES_AT_MOST } from '../dispatch/known-lanes';
import { Floors } from '../floors';

/**
 * A late commit may leave rows below a floor. This is a pass of its own, so that no other pass waits for it. While a
 * snapshot stays open for very long, Postgres may end its read. That is no failure of the pass: the next one must wait
 * for as long as after a slow read.
 */
export async function lowerFloors(context: TriggerContext, floors: Floors = new Floors()): Promise<void> {
  try {
    const { first, lanes } = await readBelow(context.store, floors.at(context.clock.now()), KNOWN_LANES_AT_MOST + 1);
    floors.lower(first);
    context.waiting.found(lanes);
  } catch (error) {
    if (!(error instanceof StatementTimeoutError)) throw error;
    context.logger.warn('the read below the floors took too long; it is tried again', { error: error.message });
  }
}
