import { InvalidOptionError, InvalidScheduleError } from '../../core/errors';
import { type BulkOperation, endOperation, releaseLease, renewLease, takeOperation } from '../../store/bulk/operations';
import { type BulkSchedule, readOne, readWaiting, settle } from '../../store/bulk/schedules';
import type { Store } from '../../store/connection';
import { isOfRow } from '../../store/postgres-errors';
import type { ClientContext } from '../context';
import { ScheduleConflictError, ScheduleLockedError, ScheduleNotFoundError } from '../errors';
import { ScheduleFrozenError } from '../freezes/errors';
import { TenantQuotaError } from '../tenants/errors';
import { changeLive, nowOf } from '../update/change';
import { changeOne, undoOne } from './change-one';
import { paceOf, waitFor } from './pace';

/** What a process needs to carry out operations. */
export interface BulkRunner {
  store: Store;
  /** UUID under which this runner holds its leases. */
  server: string;
  /** The only operation that may be carried out. @default any operation that waits */
  only?: string;
  /** A client context that acts in the name of whoever requested the operation. */
  contextOf(operation: Pick<BulkOperation, 'actor' | 'tenant'>): ClientContext;
  /** When aborted, the remaining schedules are left to another server or to the next start. */
  stopping: AbortSignal;
  /** Calls a change when it is its turn. @default at once */
  inTurn?<Result>(change: () => Promise<Result>): Promise<Result>;
}

/**
 * Errors that concern one schedule only, which is then recorded as failed, as after an error of Postgres about its row.
 * Any other error ends the attempt, and the operation stays open.
 */
const REFUSALS = [
  InvalidOptionError,
  InvalidScheduleError,
  ScheduleConflictError,
  ScheduleFrozenError,
  ScheduleLockedError,
  ScheduleNotFoundError,
  TenantQuotaError,
];

const READ_AT_ONCE = 200;
/**
 * How many schedules change in parallel: half of the connections that `serve` opens by default, so that the server
 * still answers requests while schedules are locked.
 */
export const AT_ONCE = 2;
/** The lease of an operation is renewed after a third of its duration. */
const RENEW_MILLISECONDS = 10_000;

/** Carry out one operation that waits. @returns whether there was an operation to carry out */
export async function runBulk(runner: BulkRunner): Promise<boolean> {
  const operation = await takeOperation(runner.store, runner.server, runner.only);
  if (operation) await runTaken(runner, operation);
  return operation !== undefined;
}

/** Carry out an operation that this runner has taken. */
export async function runTaken(runner: BulkRunner, operation: BulkOperation): Promise<void> {
  const { store, server, inTurn = (change) => change() } = runner;
  const { operationId, perSecond } = operation;
  const context = runner.contextOf(operation);
  // The operation was cancelled, or another server has taken it over.
  const lost = new AbortController();
  const stopping = AbortSignal.any([runner.stopping, lost.signal]);
  let renewing: Promise<void> | undefined;
  const renew = async () => {
    if (!(await renewLease(store, operationId, server))) lost.abort();
  };
  const timer = setInterval(() => {
    renewing = renew().catch(() => undefined);
  }, RENEW_MILLISECONDS);
  const mayBegin = perSecond === null ? () => 0 : paceOf(perSecond, Date.now());
  const change = async (scheduleId: string) => {
    await waitFor(mayBegin(Date.now()) - Date.now(), stopping);
    return inTurn(async () => {
      if (stopping.aborted) return false;
      await carryOut(context, operation, scheduleId);
      return true;
    });
  };
  try {
    for (;;) {
      const ids = await readWaiting(store, operationId, READ_AT_ONCE);
      if (ids.length === 0) break;
      if (!(await sideBySide(ids, change))) return;
      await renew();
    }
    await endOperation(store, operationId, nowOf(context));
  } finally {
    clearInterval(timer);
    await renewing;
    await releaseLease(store, operationId, server).catch(() => undefined);
  }
}

/**
 * Change schedules, {@link AT_ONCE} in parallel, until one call of `change` returns false. @returns whether no call
 * returned false
 */
async function sideBySide(ids: string[], change: (scheduleId: string) => Promise<boolean>): Promise<boolean> {
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
  return goesOn;
}

/** The schedule no longer waits for its change: another process has recorded a result, or the operation has ended. */
class NotWaiting extends Error {}

/**
 * Change one schedule and record the result in one transaction. After a crash, the next process finds either both the
 * change and its result, or neither.
 */
async function carryOut(context: ClientContext, operation: BulkOperation, scheduleId: string): Promise<void> {
  const { operationId, kind, undoes } = operation;
  try {
    await changeLive(context, scheduleId, async (transaction, locked) => {
      const done = undoes
        ? await undoOne(context, transaction, locked, kind, await readOne(transaction, undoes, scheduleId))
        : await changeOne(context, transaction, locked, operation);
      if (!(await settle(transaction, operationId, { scheduleId, error: null, ...done }))) throw new NotWaiting();
    });
  } catch (error) {
    if (error instanceof NotWaiting) return;
    if (!REFUSALS.some((refusal) => error instanceof refusal) && !isOfRow(error)) throw error;
    const failed: BulkSchedule = {
      scheduleId,
      outcome: 'failed',
      error: (error as Error).message,
      before: null,
      after: null,
    };
    await settle(context.store, operationId, failed);
  }
}
