import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { cancelOperation } from '../../store/bulk/operations';
import type { ClientContext } from '../context';
import { nowOf } from '../update/change';
import type { FollowOptions } from './bulk-options';
import { type BulkRunner, runBulk } from './run-bulk';
import { type BulkStatus, readStatus } from './status';

/** Interval between reads of the progress, so that a progress bar moves each second. */
const READ_MILLISECONDS = 1_000;

type Attempt = { isOurs: boolean } | { error: unknown };

/** Carry out an operation in this process, or watch it while another process carries it out, until it ends. */
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
      // Read the operation once before it may be cancelled, so that an operation of another tenant is refused as not
      // found.
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

export function by(context: ClientContext): { actor: string; now: Date } {
  return { actor: context.identity, now: nowOf(context) };
}

/**
 * Wait until the progress should be read again: after the interval, or earlier if the attempt of this process has ended
 * or `signal` is aborted.
 *
 * @returns the result of the attempt, if it has ended
 */
async function untilRead(attempt: Promise<Attempt>, signal: AbortSignal | undefined): Promise<Attempt | undefined> {
  const over = new AbortController();
  const either = AbortSignal.any([over.signal, ...(signal ? [signal] : [])]);
  const wait = pause(READ_MILLISECONDS, undefined, { signal: either }).catch(() => undefined);
  try {
    const ended = await Promise.race([attempt, wait]);
    // Another process carries out the operation, or the operation has ended. So the next read waits for the interval.
    if (ended && 'isOurs' in ended && !ended.isOurs) await wait;
    return ended;
  } finally {
    over.abort();
  }
}
