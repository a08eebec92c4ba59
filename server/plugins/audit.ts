import { beginAudit, endAudit } from '../../store/api/audit';
import type { Caller } from '../caller';
import type { ServerContext } from '../context';
import type { Answer, AnyOperation } from '../operation';
import { problemOf } from '../problems/of-error';

/** The path and query of a request are cut to this length. An ID has at most 255 bytes, so it usually fits. */
const TARGET_AT_MOST = 2_000;
const UNFORESEEN = 500;

/**
 * Carries out a change, with a row in the audit log. The row is written before the change, and updated with its result.
 * An operation that only reads gets no row.
 */
export async function audited(
  { store, logger }: Pick<ServerContext, 'store' | 'logger'>,
  { operationId, method, scope }: AnyOperation,
  caller: Caller,
  url: string,
  change: () => Promise<Answer & { status: number }>,
): Promise<Answer & { status: number }> {
  if (method === 'GET' || scope === 'read') return change();
  const { actor, token = null, tenant = null, address } = caller;
  const target = url.slice(0, TARGET_AT_MOST).replaceAll('\0', '');
  const auditId = await beginAudit(store, { actor, token, tenant, address, operation: operationId, target });
  // When this is called, the change is over. If the status of the answer cannot be written, the row still shows the
  // request.
  const end = (status: number) =>
    endAudit(store, auditId, status).catch((error) => logger.warn('an audit row has no end', { auditId, error }));
  try {
    const answer = await change();
    await end(answer.status);
    return answer;
  } catch (error) {
    await end(problemOf(error)?.problem.status ?? UNFORESEEN);
    throw error;
  }
}
