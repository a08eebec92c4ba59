import type { TriggerContext } from '../context';
import { sayNoLongerBusy } from '../dispatch/settle-outcomes';
import { allEnd } from '../lanes';
import { sayUnlocked } from './close';
import { sayEndedStalls } from './stalls';

/**
 * Log which of the stalls, locks and refusals that this trigger has logged are over. The ledger shows the end of a stall
 * or lock even if another trigger or a list has found it.
 */
export async function sayOver(context: TriggerContext): Promise<void> {
  sayNoLongerBusy(context);
  await allEnd([sayEndedStalls(context), sayUnlocked(context)]);
}
