import {
  type BulkOperation,
  type BulkTask,
  endOperation,
  readEarlier,
  releaseLease,
  renewLease,
  takeOperation,
} from '../../store/bulk/operations';
import { readWaiting } from '../../store/bulk/schedules';
import type { Store } from '../../store/connection';
import type { ClientContext } from '../context';
import { nowOf } from '../update/change';
import { carryOut, isHeld } from './carry-out';
import { paceOf, waitFor } from './pace';
import { tasksBefore } from './tasks-before';

export interface BulkRunner {
  store: Store;
  /** UUID under which this runner holds its leases. */
  server: string;
  /** The only operation that may be carried out. @default any operation that waits */
  only?: string;
  /** A client context that acts in the name of whoever requested the operation. */
  contextOf(operation: Pick<BulkOperation, 'actor' | 'tenant'>): ClientContext;
  /** When aborted, the operation stays open, and another process or the next start can continue it. */
  stopping: AbortSignal;
  /** Calls `change` when it is this operation's turn. @default at once */
  inTurn?<Result>(change: () => Promise<Result>): Promise<Result>;
}

const READ_AT_ONCE = 200;
/** How many schedules change in parallel. `serve` reserves a database connection for each, which requests do not use. */
export const AT_ONCE = 2;
/** The lease of an operation is renewed after a third of its duration. */
const RENEW_MILLISECONDS = 10_000;
/**
 * Once a schedule has been locked for this long, the next attempt waits for its lock. Otherwise each attempt could meet
 * another brief lock.
 */
const LOCKED_MILLISECONDS = 2_000;
/** Interval between attempts if all schedules are locked. A claim usually locks a schedule for less time. */
const COME_BACK_MILLISECONDS = 100;

/** @returns whether there was an operation to carry out */
export async function runBulk(runner: BulkRunner): Promise<boolean> {
  const operation = await takeOperation(runner.store, runner.server, runner.only);
  if (operation) await runTaken(runner, operation);
  return operation !== undefined;
}

/**
 * Carry out an operation that this runner has taken. On each schedule, first carry out earlier operations whose changes
 * this one may overwrite. So these take effect in their order, and none waits for another.
 */
export async function runTaken(runner: BulkRunner, operation: BulkOperation): Promise<void> {
  const { store, server, inTurn = (change) => change() } = runner;
  const { operationId, perSecond } = operation;
  // Aborted if the operation has ended, or another process has taken it over.
  const lost = new AbortController();
  const stopping = AbortSignal.any([runner.stopping, lost.signal]);
  let renewing: Promise<void> | undefined;
  const renew = async () => {
    if (!(await renewLease(store, operationId, server))) lost.abort();
  };
  const timer = setInterval(() => {
    renewing = renew().catch(() => undefined);
  }, RENEW_MILLISECONDS);
  const mayBegin = perSecond === null ? () => 0 : paceOf(perSecond, performance.now());
  const heldSince = new Map<string, number>();
  const changeInOrder = async (scheduleId: string, before: BulkTask[]) => {
    const since = heldSince.get(scheduleId) ?? performance.now();
    const waits = performance.now() - since >= LOCKED_MILLISECONDS;
    try {
      for (const task of before) await carryOut(runner.contextOf(task), task, scheduleId, waits);
      return await carryOut(runner.contextOf(operation), operation, scheduleId, waits);
    } catch (error) {
      if (!isHeld(error)) throw error;
      heldSince.set(scheduleId, since);
      return true;
    }
  };
  const change = async (scheduleId: string, before: BulkTask[] = []) => {
    await waitFor(mayBegin(performance.now()) - performance.now(), stopping);
    return inTurn(async () => !stopping.aborted && changeInOrder(scheduleId, before));
  };
  try {
    const earlier = await readEarlier(store, operation);
    const worked = new Set([operationId]);
    for (;;) {
      const ids = await readWaiting(store, operationId, READ_AT_ONCE);
      if (ids.length === 0) break;
      if (ids.every((scheduleId) => heldSince.has(scheduleId))) await waitFor(COME_BACK_MILLISECONDS, stopping);
      const before = await tasksBefore(store, earlier, ids);
      for (const task of [...before.values()].flat()) worked.add(task.operationId);
      await sideBySide(ids, (scheduleId) => change(scheduleId, before.get(scheduleId)));
      await renew();
      if (stopping.aborted) return;
    }
    const now = nowOf(runner.contextOf(operation));
    for (const id of worked) await endOperation(store, id, now);
  } finally {
    clearInterval(timer);
    await renewing;
    await releaseLease(store, operationId, server).catch(() => undefined);
  }
}

/** Change schedules, {@link AT_ONCE} in parallel, until one call of `change` returns false or throws. */
async function sideBySide(ids: string[], change: (scheduleId: string) => Promise<boolean>): Promise<void> {
  const left = ids.values();
  let goesOn = true;
  const lane = async () => {
    for (const scheduleId of left) {
      const done = goesOn && (await change(scheduleId).catch((error) => ({ error })));
      if (done === true) continue;
      goesOn = false;
      if (done) throw done.error;
      return;
    }
  };
  // Wait for the changes that are still running, since they must end before the lease is released.
  const lanes = await Promise.allSettled(Array.from({ length: AT_ONCE }, lane));
  for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason;
}
