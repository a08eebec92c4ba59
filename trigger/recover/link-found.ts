import { linkFirings } from '../../store/firings/link';
import type { StartableFiring } from '../../store/firings/start';
import { cancelAtOf } from '../claim/soft-timeout';
import { firingFields, type TriggerContext } from '../context';
import { dueAtOf } from '../definitions';
import { reportUnlinked } from '../dispatch/report-unlinked';

/** claimed → linked with a chain that was found in Temporal, unless the row is no longer claimed in this epoch. */
export async function linkFound(context: TriggerContext, firing: StartableFiring, runId: string): Promise<void> {
  const now = context.clock.now();
  const definition = (await context.definitions.load(context.store, [firing]))(firing);
  const started = { ...firing, runId, cancelAt: cancelAtOf(context, definition, firing), pollAfterMilliseconds: 0 };
  const rows = await linkFirings(context.store, [started], new Date(now));
  if (rows.length === 0) return reportUnlinked(context, firing, runId);
  const lagMilliseconds = context.metrics.linked(firing, {
    at: now,
    dueAt: dueAtOf(definition, firing.scheduledTime),
  });
  const milliseconds = now - firing.claimedAt.getTime();
  const recovery = firing.recovery ? { recovery: firing.recovery } : {};
  context.logger.info('linked', { ...firingFields(firing), runId, milliseconds, lagMilliseconds, ...recovery });
}
