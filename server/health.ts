import type { ServerContext } from './context';
import type { Health } from './operations';
import { problemOf } from './problems/of-error';

/** Whether a server can answer from the ledger. @throws what nobody foresaw */
export async function healthOf(context: Pick<ServerContext, 'clientOf' | 'identity' | 'tenant'>): Promise<Health> {
  try {
    await context.clientOf({ actor: context.identity, tenant: context.tenant }).triggers();
    return { isReady: true, reasons: [] };
  } catch (error) {
    const known = problemOf(error);
    if (!known) throw error;
    return { isReady: false, reasons: [known.problem.detail] };
  }
}
