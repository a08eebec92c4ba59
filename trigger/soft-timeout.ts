import { later, type TriggerContext } from './context';
import type { CompiledDefinition } from './definitions';

/** When a chain that was linked now is to be asked to cancel itself; null without a soft time limit. */
export function cancelAtOf({ clock }: TriggerContext, { action }: CompiledDefinition): Date | null {
  return action.softTimeout === undefined ? null : later(clock.now(), action.softTimeout);
}
