import { later, type TriggerContext } from '../context';
import type { CompiledDefinition } from '../definitions';

/**
 * When a chain that was linked now is to be asked to cancel itself; null without a soft time limit. It counts from when
 * the workflow begins, for one that was handed over ahead of its time.
 */
export function cancelAtOf(
  { clock }: TriggerContext,
  { action }: CompiledDefinition,
  { startsAt = null }: { startsAt?: Date | null } = {},
): Date | null {
  const beginsAt = Math.max(clock.now(), startsAt?.getTime() ?? 0);
  return action.softTimeout === undefined ? null : later(beginsAt, action.softTimeout);
}
