import type { StartableFiring } from '../../store/firings/start';
import { firingFields, type TriggerContext } from '../context';

/** Count and log that this trigger has linked the firing with a run. */
export function reportLinked(
  context: TriggerContext,
  firing: StartableFiring,
  { runId, at, dueAt }: { runId: string; at: number; dueAt: Date },
): void {
  const lagMilliseconds = context.metrics.linked(firing, { at, dueAt });
  const milliseconds = at - firing.claimedAt.getTime();
  const recovery = firing.recovery ? { recovery: firing.recovery } : {};
  context.logger.info('linked', { ...firingFields(firing), runId, milliseconds, lagMilliseconds, ...recovery });
}
