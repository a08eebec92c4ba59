import type { Store } from '../../store/connection';
import type { WithdrawnInterrupt } from '../../store/firings/interrupt';
import type { OpenFiring } from '../../store/firings/open-firings';
import { later, type TriggerContext } from '../context';
import type { CompiledDefinition } from '../definitions';
import { keyOf } from './candidates';

/**
 * When the chain of a firing that is linked now should be cancelled; null if its schedule has no soft timeout. The
 * limit counts from now or, if the firing was handed over ahead, from its start time if that is later.
 */
export function cancelAtOf(
  { clock }: TriggerContext,
  definition: CompiledDefinition,
  { startsAt = null }: { startsAt?: Date | null } = {},
): Date | null {
  return limitFrom(clock.now(), definition, startsAt);
}

function limitFrom(from: number, { action }: CompiledDefinition, startsAt: Date | null): Date | null {
  return action.softTimeout === undefined ? null : later(Math.max(from, startsAt?.getTime() ?? 0), action.softTimeout);
}

/** A soft timeout counts from the answer to the start call. The firing is linked at most about this much later. */
const LINKED_WITHIN_MILLISECONDS = 60_000;

/**
 * The interrupts of these firings, as they are withdrawn. If a running chain's soft timeout may be over, its cancel
 * stays: it may be the soft timeout, and the row does not say so. A chain that is left to run has its whole limit again,
 * since its row does not say either from when the limit counted.
 */
export async function withdrawalsOf(
  context: TriggerContext,
  transaction: Store,
  spared: OpenFiring[],
): Promise<WithdrawnInterrupt[]> {
  const definitions = await context.definitions.load(transaction, spared);
  return spared.flatMap((firing) => {
    const definition = definitions(firing);
    if (mayBeSoftTimeout(definition, firing)) return [];
    const cancelAt = definition.unreadable ? null : cancelAtOf(context, definition, firing);
    return [{ ...keyOf(firing), cancelAt }];
  });
}

function mayBeSoftTimeout(definition: CompiledDefinition, firing: OpenFiring): boolean {
  const { state, interrupt, interruptAt, linkedAt, startsAt } = firing;
  if (state === 'claimed' || interrupt === 'terminate') return false;
  if (definition.unreadable) return true;
  const limit = limitFrom(linkedAt!.getTime(), definition, startsAt);
  return limit !== null && interruptAt!.getTime() + LINKED_WITHIN_MILLISECONDS >= limit.getTime();
}
