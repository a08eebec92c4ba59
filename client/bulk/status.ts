import type { BulkOperationState } from '../../core/bulk';
import { isUuid } from '../../core/uuid';
import { type BulkCounts, type BulkOperation, readOperation } from '../../store/bulk/operations';
import { readOfOperation } from '../../store/bulk/schedules';
import type { ClientContext } from '../context';
import { OperationNotFoundError } from './errors';

/** A bulk change as it is listed, with its progress. */
export interface BulkSummary extends BulkOperation, BulkCounts {
  /** `running`, `done`, or `cancelled` if somebody ended the operation early. */
  state: BulkOperationState;
  /** How many schedules have no result yet. After a cancellation, these keep their state. */
  left: number;
}

/** A bulk change and its progress. */
export interface BulkStatus extends BulkSummary {
  /** The failed schedules and why each failed, in the order of their IDs, at most 100. */
  errors: { scheduleId: string; error: string }[];
}

const ERRORS_SHOWN = 100;

/** @throws {OperationNotFoundError} also for an operation of another tenant */
export async function getOperation(
  { store, tenant }: ClientContext,
  operationId: string,
): Promise<BulkOperation & BulkCounts> {
  const read = isUuid(operationId) ? await readOperation(store, operationId, tenant) : undefined;
  if (read) return read;
  throw new OperationNotFoundError(operationId);
}

/** @throws {OperationNotFoundError} also for an operation of another tenant */
export async function readStatus(context: ClientContext, operationId: string): Promise<BulkStatus> {
  const read = await getOperation(context, operationId);
  const of = { outcome: 'failed' as const, after: undefined, limit: ERRORS_SHOWN };
  const failed = await readOfOperation(context.store, read.operationId, of);
  const errors = failed.map(({ scheduleId, error }) => ({ scheduleId, error: error ?? '' }));
  return { ...withState(read), errors };
}

export function withState<Read extends BulkCounts & Pick<BulkOperation, 'total' | 'cancelledBy' | 'endedAt'>>(
  read: Read,
): Read & Pick<BulkSummary, 'state' | 'left'> {
  const { total, changed, unchanged, failed, cancelledBy, endedAt } = read;
  const state = cancelledBy !== null ? 'cancelled' : endedAt ? 'done' : 'running';
  return { ...read, state, left: total - changed - unchanged - failed };
}
