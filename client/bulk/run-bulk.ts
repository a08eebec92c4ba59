import { InvalidOptionError, InvalidScheduleError } from '../../core/errors';
import { type BulkOperation, endOperation, releaseLease, renewLease, takeOperation } from '../../store/bulk/operations';
import { type BulkSchedule, readOne, readWaiting, settle } from '../../store/bulk/schedules';
import type { Store } from '../../store/connection';
import type { ClientContext } from '../context';
import { ScheduleConflictError, ScheduleLockedError, ScheduleNotFoundError } from '../errors';
import { ScheduleFrozenError } from '../freezes/errors';
import { TenantQuotaError } from '../tenants/errors';
import { changeLive, nowOf } from '../update/change';
import { changeOne, undoOne } from './change-one';
import { paceOf, waitFor } from './pace';

/** What carries operations out. */
export interface BulkRunner {
  store: Store;
  /** UUID of the server, by which it holds leases. */
  server: string;
  /** This operation alone; any that waits unless it is given. */
  only?: string;
  /** Who asked for an operation makes its changes. */
  contextOf(operation: Pick<BulkOperation, 'actor' | 'tenant'>): ClientContext;
  /** Aborted: leave the rest to another server, or to the next start. */
  stopping: AbortSignal;
}

/** What a schedule may refuse by itself; anything else ends the attempt, and the operation is gone on with later. */
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
/** So many are changed side by side: half of a server's connections, so that requests are answered while schedules are locked. */
export const AT_ONCE = 2;
/** A third of the lease. */
const RENEW_MILLISECONDS = 10_000;

/** Carry out one operation that waits. @returns whether there was one */
export async function runBulk(runner: BulkRunner): Promise<boolean> {
  const { store, server, stopping, only } = runner;
  const operation = await takeOperation(store, server, only);
  if (!operation) return false;
  const { operationId, perSecond } = operation;
  const context = runner.contextOf(operation);
  let renewedAt = Date.now();
  const mayBegin = perSecond === null ? () => 0 : paceOf(perSecond, renewedAt);
  const change = async (scheduleId: string) => {
    await waitFor(mayBegin(Date.now()) - Date.now(), stopping);
    if (stopping.aborted) return false;
    await carryOut(context, operation, scheduleId);
    if (Date.now() - renewedAt < RENEW_MILLISECONDS) return true;
    renewedAt = Date.now();
    return renewLease(store, operationId, server);
  };
  try {
    for (;;) {
      const ids = await readWaiting(store, operationId, READ_AT_ONCE);
      if (ids.length === 0) break;
      if (!(await sideBySide(ids, change))) return true;
      // Cancelled, or another server's since.
      if (!(await renewLease(store, operationId, server))) return true;
    }
    await endOperation(store, operationId, nowOf(context));
    return true;
  } finally {
    await releaseLease(store, operationId, server).catch(() => undefined);
  }
}

/** Change some, {@link AT_ONCE} of them side by side, until one says that it is not to be gone on with. @returns whether none did */
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
  // What is under way ends before its lease does.
  const lanes = await Promise.allSettled(Array.from({ length: AT_ONCE }, lane));
  for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason;
  return goesOn;
}

/** Another server, or a person, was there first. */
class NotWaiting extends Error {}

/** Change one schedule and write down what became of it, in one transaction: whoever goes on after a crash finds both or neither. */
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
    if (!REFUSALS.some((refusal) => error instanceof refusal)) throw error;
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
