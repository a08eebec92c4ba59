import { readBelow } from '../../store/firings/below';
import type { TriggerContext } from '../context';
import { KNOWN_LANES_AT_MOST } from '../dispatch/known-lanes';
import { Floors } from '../floors';

/**
 * Lower the floors to what is left below them: a transaction that committed late, what another trigger had locked, a claim of one that
 * is gone. Apart from the passes, so that none of them waits for it.
 */
export async function lowerFloors(context: TriggerContext, floors: Floors = new Floors()): Promise<void> {
  const { first, lanes } = await readBelow(context.store, floors.at(context.clock.now()), KNOWN_LANES_AT_MOST + 1);
  floors.lower(first);
  context.waiting.found(lanes);
}
