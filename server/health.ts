import type { ServerContext } from './context';
import type { Health } from './operations';
import { problemOf } from './problems/of-error';

/**
 * Whether a server can answer from the ledger. One that has just begun reads all schedules first: among 100,000 this takes a second or
 * two, and requests wait for it. @throws what nobody foresaw
 */
export async function healthOf(
  context: Pick<ServerContext, 'clientOf' | 'identity' | 'tenant' | 'specs' | 'logger'>,
): Promise<Health> {
  try {
    await context.clientOf({ actor: context.identity, tenant: context.tenant }).triggers();
    if (context.specs.isRead) return { isReady: true, reasons: [] };
    // A read that failed begins again here; one under way is not begun twice.
    context.specs.current().catch((error) => context.logger.warn('the schedules could not be read', { error }));
    return { isReady: false, reasons: ['The schedules are being read.'] };
  } catch (error) {
    const known = problemOf(error);
    if (!known) throw error;
    return { isReady: false, reasons: [known.problem.detail] };
  }
}
