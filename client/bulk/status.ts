import type { BulkOperationState } from '../../core/bulk';
import { type BulkCounts, type BulkOperation, readOperation } from '../../store/bulk/operations';
import { readOfOperation } from '../../store/bulk/schedules';
import type { ClientContext } from '../context';
import { OperationNotFoundError } from './errors';

/** A change of many schedules as it is listed, and how far it has come. */
export interface BulkSummary extends BulkOperation, BulkCounts {
  /** `cancelled` where somebody ended it before its time. */
  state: BulkOperationState;
  /** How many wait. */
  left: number;
}

/** A change of many schedules, and how far it has come. */
export interface BulkStatus extends BulkSummary {
  /** The first 100 that failed, and why. */
  errors: { scheduleId: string; error: string }[];
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const ERRORS_SHOWN = 100;

/** @throws {OperationNotFoundError} also for another tenant's */
export async function getOperation(
  { store, tenant }: ClientContext,
  operationId: string,
): Promise<BulkOperation & BulkCounts> {
  const read = UUID.test(operationId) ? await readOperation(store, operationId, tenant) : undefined;
  if (read) return read;
  throw new OperationNotFoundError(operationId);
}

/** @throws {OperationNotFoundError} also for another tenant's */
export async function readStatus(context: ClientContext, operationId: string): Promise<BulkStatus> {
  const read = await getOperation(context, operationId);
  const of = { outcome: 'failed' as const, after: undefined, limit: ERRORS_SHOWN };
  const failed = await readOfOperation(context.store, read.operationId, of);
  const errors = failed.map(({ scheduleId, error }) => ({ scheduleId, error: error ?? '' }));
  return { ...withState(read), errors };
}

/** With its state in a word. */
export function withState<Read extends BulkCounts & Pick<BulkOperation, 'total' | 'cancelledBy' | 'endedAt'>>(
  read: Read,
): Read & Pick<BulkSummary, 'state' | 'left'> {
  const { total, changed, unchanged, failed, cancelledBy, endedAt } = read;
  const state = cancelledBy !== null ? 'cancelled' : endedAt ? 'done' : 'running';
  return { ...read, state, left: total - changed - unchanged - failed };
}
