import { randomUUID } from 'node:crypto';
import { cancelOperation } from '../../store/bulk/operations';
import type { ClientContext } from '../context';
import { nowOf } from '../update/change';
import type { FollowOptions } from './bulk-options';
import { type BulkRunner, runBulk } from './run-bulk';
import { type BulkStatus, readStatus } from './status';

/** How often it is read how far it has come. */
const LOOK_MILLISECONDS = 1_000;

/** Carry an operation out in this process, or watch it where a server does, until it is over. */
export async function follow(
  context: ClientContext,
  operationId: string,
  { progress, signal }: FollowOptions,
): Promise<BulkStatus> {
  const stopping = new AbortController();
  const runner: BulkRunner = {
    store: context.store,
    server: randomUUID(),
    only: operationId,
    contextOf: ({ actor, tenant }) => ({ ...context, identity: actor, tenant: tenant ?? undefined }),
    stopping: stopping.signal,
  };
  let working: Promise<void> | undefined;
  let failure: { error: unknown } | undefined;
  const work = async () => {
    try {
      // Where a server has it, it is looked at again in a while.
      if (!(await runBulk(runner))) await looked(new Promise(() => {}), stopping.signal);
    } catch (error) {
      failure = { error };
    }
  };
  try {
    for (;;) {
      if (signal?.aborted) await cancelOperation(context.store, operationId, by(context));
      const status = await readStatus(context, operationId);
      progress?.(status);
      if (status.state !== 'running') return status;
      if (failure) throw failure.error;
      if (signal?.aborted) continue;
      working ??= work().finally(() => {
        working = undefined;
      });
      await looked(working, signal);
    }
  } finally {
    stopping.abort();
    await working;
  }
}

/** Who ended it before its time, and when. */
export function by(context: ClientContext): { actor: string; now: Date } {
  return { actor: context.identity, now: nowOf(context) };
}

/** Until the work is over, and at most until the next poll; at once where it is to be left. */
async function looked(working: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let wake = () => {};
  const waited = new Promise<void>((resolve) => {
    wake = resolve;
    timer = setTimeout(resolve, LOOK_MILLISECONDS);
  });
  signal?.addEventListener('abort', wake, { once: true });
  try {
    await Promise.race([working, waited]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', wake);
  }
}
