import type { StartableFiring } from '../../store/firings/start';
import { readFiring } from '../../store/reads/read-firings';
import { firingFields, type TriggerContext } from '../context';

/**
 * Log an error if a workflow was started although the firing was no longer claimed in that epoch. Nothing is logged if
 * another trigger has linked the firing with this run.
 */
export async function reportUnlinked(context: TriggerContext, firing: StartableFiring, runId: string): Promise<void> {
  const row = await readFiring(context.store, firing.scheduleId, firing.scheduledTime);
  if (row?.runId === runId) return;
  context.logger.error('a workflow was started, but its firing has been given up or started again', {
    ...firingFields(firing),
    runId,
    state: row?.state,
    reason: row?.reason,
  });
}
