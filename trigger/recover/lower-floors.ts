import { readBelow } from '../../store/firings/below';
import type { TriggerContext } from '../context';
import { KNOWN_LANES_AT_MOST } from '../dispatch/known-lanes';
import { Floors } from '../floors';

/**
 * Lower the floors to rows that were left below them: rows of a late commit, rows that another trigger had locked, and
 * claims of a trigger that is gone. This read is a pass of its own, so that no other pass waits for it.
 */
export async function lowerFloors(context: TriggerContext, floors: Floors = new Floors()): Promise<void> {
  const { first, lanes } = await readBelow(context.store, floors.at(context.clock.now()), KNOWN_LANES_AT_MOST + 1);
  floors.lower(first);
  context.waiting.found(lanes);
}
