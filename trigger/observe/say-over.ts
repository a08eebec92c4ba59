import type { TriggerContext } from '../context';
import { allEnd } from '../lanes';
import { sayUnlocked } from './close';
import { sayEndedStalls } from './stalls';

/**
 * Log which of the stalls and locks that this trigger has logged are over. The ledger shows the end even if another
 * trigger or a list has found it.
 */
export async function sayOver(context: TriggerContext): Promise<void> {
  await allEnd([sayEndedStalls(context), sayUnlocked(context)]);
}
