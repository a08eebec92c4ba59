import { linkFirings } from '../../store/firings/link';
import type { StartableFiring } from '../../store/firings/start';
import { cancelAtOf } from '../claim/soft-timeout';
import type { TriggerContext } from '../context';
import { dueAtOf } from '../definitions';
import { reportLinked } from '../dispatch/report-linked';
import { reportUnlinked } from '../dispatch/report-unlinked';

/** claimed → linked with a chain that was found in Temporal, unless the row is no longer claimed in this epoch. */
export async function linkFound(context: TriggerContext, firing: StartableFiring, runId: string): Promise<void> {
  const now = context.clock.now();
  const definition = (await context.definitions.load(context.store, [firing]))(firing);
  const started = { ...firing, runId, cancelAt: cancelAtOf(context, definition, firing), pollAfterMilliseconds: 0 };
  const rows = await linkFirings(context.store, [started], new Date(now));
  if (rows.length === 0) return reportUnlinked(context, firing, runId);
  reportLinked(context, firing, { runId, at: now, dueAt: dueAtOf(definition, firing) });
}
