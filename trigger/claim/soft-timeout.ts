import { later, type TriggerContext } from '../context';
import type { CompiledDefinition } from '../definitions';

/**
 * When the chain of a firing that is linked now should be cancelled; null if its schedule has no soft timeout. The
 * limit counts from now or, if the firing was handed over ahead, from its start time if that is later.
 */
export function cancelAtOf(
  { clock }: TriggerContext,
  { action }: CompiledDefinition,
  { startsAt = null }: { startsAt?: Date | null } = {},
): Date | null {
  const beginsAt = Math.max(clock.now(), startsAt?.getTime() ?? 0);
  return action.softTimeout === undefined ? null : later(beginsAt, action.softTimeout);
}
