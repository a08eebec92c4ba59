import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { cancelOperation } from '../../store/bulk/operations';
import type { ClientContext } from '../context';
import { nowOf } from '../update/change';
import type { FollowOptions } from './bulk-options';
import { type BulkRunner, runBulk } from './run-bulk';
import { type BulkStatus, readStatus } from './status';

/** How often it is read how far it has come: a bar moves, and to count 100,000 schedules takes a tenth of it. */
const READ_MILLISECONDS = 1_000;

/** What came of trying to carry an operation out in this process. */
type Attempt = { isOurs: boolean } | { error: unknown };

/** Carry an operation out in this process, or watch it where a server does, until it is over. */
export async function follow(
  context: ClientContext,
  operationId: string,
  { progress, signal, onAbort = 'cancel' }: FollowOptions,
): Promise<BulkStatus> {
  const stopping = new AbortController();
  const runner: BulkRunner = {
    store: context.store,
    server: randomUUID(),
    only: operationId,
    contextOf: ({ actor, tenant }) => ({ ...context, identity: actor, tenant: tenant ?? undefined }),
    stopping: stopping.signal,
  };
  const begin = (): Promise<Attempt> =>
    runBulk(runner).then(
      (isOurs) => ({ isOurs }),
      (error) => ({ error }),
    );
  let attempt: Promise<Attempt> | undefined;
  let ended: Attempt | undefined;
  try {
    for (let isKnown = false; ; isKnown = true) {
      // Read first: another tenant's is not there, and not to be cancelled.
      const isStopped = isKnown && (signal?.aborted ?? false);
      if (isStopped) {
        if (onAbort === 'cancel') await cancelOperation(context.store, operationId, by(context));
        stopping.abort();
        await attempt;
      }
      const status = await readStatus(context, operationId);
      progress?.(status);
      if (isStopped || status.state !== 'running') return status;
      if (ended && 'error' in ended) throw ended.error;
      if (signal?.aborted) continue;
      attempt ??= begin();
      ended = await untilRead(attempt, signal);
      if (ended) attempt = undefined;
    }
  } finally {
    stopping.abort();
    await attempt;
  }
}

/** Who ended it before its time, and when. */
export function by(context: ClientContext): { actor: string; now: Date } {
  return { actor: context.identity, now: nowOf(context) };
}

/**
 * Wait until it is to be read again: in a while, or at once where this process has carried it out, or is to leave it.
 *
 * @returns what came of the attempt, where it is over
 */
async function untilRead(attempt: Promise<Attempt>, signal: AbortSignal | undefined): Promise<Attempt | undefined> {
  const over = new AbortController();
  const either = AbortSignal.any([over.signal, ...(signal ? [signal] : [])]);
  const wait = pause(READ_MILLISECONDS, undefined, { signal: either }).catch(() => undefined);
  try {
    const ended = await Promise.race([attempt, wait]);
    // A server carries it out: what that has done is read in a while, and not before.
    if (ended && 'isOurs' in ended && !ended.isOurs) await wait;
    return ended;
  } finally {
    over.abort();
  }
}
