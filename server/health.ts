import { isRightMissing } from '../store/postgres-errors';
import type { ServerContext } from './context';
import type { Health } from './operations';
import { problemOf } from './problems/of-error';

/**
 * Whether a server can answer from the ledger. A new server is not ready until it has read all schedules, since some
 * requests wait for that read.
 */
export async function healthOf(
  context: Pick<ServerContext, 'clientOf' | 'identity' | 'tenant' | 'specs' | 'logger'>,
): Promise<Health> {
  const { specs, logger } = context;
  try {
    await context.clientOf({ actor: context.identity, tenant: context.tenant }).triggers();
  } catch (error) {
    if (!problemOf(error)) logger.warn('the server cannot answer from the ledger', { error });
    return notReady(causeOf(error));
  }
  if (specs.isRead) return { isReady: true, reasons: [] };
  const { failure } = specs;
  // This call repeats a read that failed, but does not start a second one while a read is running.
  specs.current().catch((error) => logger.warn('the schedules could not be read', { error }));
  return notReady(failure ? `The schedules could not be read: ${causeOf(failure)}` : 'The schedules are being read.');
}

function notReady(reason: string): Health {
  return { isReady: false, reasons: [reason] };
}

/** The texts of errors without a type are not shown: anybody may ask whether a server is ready. */
function causeOf(error: unknown): string {
  const known = problemOf(error);
  if (known) return known.problem.detail;
  return isRightMissing(error)
    ? "The server's role in Postgres lacks a right; its log and 'escapement doctor' say which."
    : 'The log of the server says why.';
}
