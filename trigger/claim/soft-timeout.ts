import { later, type TriggerContext } from '../context';
import type { CompiledDefinition } from '../definitions';

/**
 * When the chain of a firing that is linked now should be cancelled; null if its schedule has no soft timeout. If the
 * firing was handed over ahead, the limit counts from its start time.
 */
export function cancelAtOf(
  { clock }: TriggerContext,
  { action }: CompiledDefinition,
  { startsAt = null }: { startsAt?: Date | null } = {},
): Date | null {
  const beginsAt = Math.max(clock.now(), startsAt?.getTime() ?? 0);
  return action.softTimeout === undefined ? null : later(beginsAt, action.softTimeout);
}
