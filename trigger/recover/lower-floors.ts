import { readBelow } from '../../store/firings/below';
import type { TriggerContext } from '../context';
import { KNOWN_LANES_AT_MOST } from '../dispatch/known-lanes';
import { Floors } from '../floors';

/** A late commit may leave rows below a floor. This is a pass of its own, so that no other pass waits for it. */
export async function lowerFloors(context: TriggerContext, floors: Floors = new Floors()): Promise<void> {
  const { first, lanes } = await readBelow(context.store, floors.at(context.clock.now()), KNOWN_LANES_AT_MOST + 1);
  floors.lower(first);
  context.waiting.found(lanes);
}
