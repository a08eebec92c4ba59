import type { StartedFiring } from '../../store/firings/link';
import { readFiring } from '../../store/reads/read-firings';
import { firingFields, type TriggerContext } from '../context';

/**
 * Log an error if a workflow was started although the firing was no longer claimed in that epoch. Nothing is logged if
 * another trigger has linked the same run.
 */
export async function reportUnlinked(context: TriggerContext, started: StartedFiring): Promise<void> {
  const row = await readFiring(context.store, started.scheduleId, started.scheduledTime);
  if (row?.runId === started.runId) return;
  context.logger.error('a workflow runs although its firing was abandoned', {
    ...firingFields(started),
    runId: started.runId,
    state: row?.state,
    reason: row?.reason,
  });
}
