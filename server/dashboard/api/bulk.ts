import { isUnanswered, jsonOnce, runOnce } from './once';
import { json } from './request';
import type { RowsPage } from './types';

export type BulkKind = 'pause' | 'unpause' | 'trigger' | 'tag';

/** Which schedules a bulk change affects. A schedule must match every given filter. */
export interface BulkFilter {
  text?: string;
  query?: string;
  paused?: boolean;
  completed?: boolean;
  from?: string;
  to?: string;
  scheduleIds?: string[];
  all?: boolean;
}

export interface BulkPlan {
  total: number;
  /** Number of schedules that would stay as they are. */
  unchanged: number;
  /** Some of the schedules that match. */
  schedules: { scheduleId: string; paused: boolean; nextFireAt: string | null }[];
}

export interface Operation {
  operationId: string;
  kind: BulkKind;
  state: 'running' | 'done' | 'cancelled';
  /** What the operation waits for; null while it is carried out, and once it has ended. */
  waitsFor: 'turn' | 'process' | null;
  total: number;
  changed: number;
  unchanged: number;
  failed: number;
  left: number;
  errors?: { scheduleId: string; error: string }[];
  undoes: string | null;
  undoneBy: string | null;
  actor: string;
  filter: BulkFilter;
  change: Change;
  createdAt: string;
  cancelledBy: string | null;
  endedAt: string | null;
}

export type Change = Record<string, unknown>;

const bulkPath = (kind: BulkKind) => `v1/bulk/${kind}`;

/** Whether a request to run many schedules may have been carried out without an answer. */
export const isRunUnanswered = () => isUnanswered(bulkPath('trigger'));

export function planBulk(kind: BulkKind, filter: BulkFilter, change: Change): Promise<BulkPlan> {
  return json(bulkPath(kind), { method: 'POST', body: { filter, ...change, dryRun: true } });
}

/** @param expectedTotal the total of the plan; if another number of schedules matches, nothing is changed */
export function startBulk(
  kind: BulkKind,
  filter: BulkFilter,
  change: Change,
  expectedTotal: number,
): Promise<Operation> {
  const path = bulkPath(kind);
  const body = { filter, ...change, expectedTotal };
  return kind === 'trigger' ? runOnce(path, body) : jsonOnce(path, { method: 'POST', body });
}

export function operationPath(operationId: string): string {
  return `v1/operations/${encodeURIComponent(operationId)}`;
}

export function stopOperation(operationId: string, how: 'cancel' | 'undo'): Promise<Operation> {
  return jsonOnce(`${operationPath(operationId)}/${how}`, { method: 'POST', body: {} });
}

const PAGE_SIZE = '200';

/** IDs of all schedules in a list, read page by page, and whether more may match than the list has. */
export async function allListed(path: string): Promise<{ scheduleIds: string[]; isCut: boolean }> {
  const scheduleIds: string[] = [];
  const [address, query] = path.split('?', 2) as [string, string];
  const asked = new URLSearchParams(query);
  asked.delete('cursor');
  asked.set('pageSize', PAGE_SIZE);
  for (;;) {
    const { rows, nextCursor, isCut = false } = await json<RowsPage>(`${address}?${asked}`);
    for (const { scheduleId } of rows) scheduleIds.push(scheduleId);
    if (nextCursor === undefined) return { scheduleIds, isCut };
    asked.set('cursor', nextCursor);
  }
}
