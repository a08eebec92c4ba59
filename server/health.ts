import type { ServerContext } from './context';
import type { Health } from './operations';
import { problemOf } from './problems/of-error';

/**
 * Whether a server can answer from the ledger. A new server is not ready until it has read all schedules, since some
 * requests wait for that read. @throws any unexpected error
 */
export async function healthOf(
  context: Pick<ServerContext, 'clientOf' | 'identity' | 'tenant' | 'specs' | 'logger'>,
): Promise<Health> {
  try {
    await context.clientOf({ actor: context.identity, tenant: context.tenant }).triggers();
    if (context.specs.isRead) return { isReady: true, reasons: [] };
    // This call repeats a read that failed, but does not start a second one while a read is running.
    context.specs.current().catch((error) => context.logger.warn('the schedules could not be read', { error }));
    return { isReady: false, reasons: ['The schedules are being read.'] };
  } catch (error) {
    const known = problemOf(error);
    if (!known) throw error;
    return { isReady: false, reasons: [known.problem.detail] };
  }
}
