import { json } from './request';
import type { ScheduleRow } from './types';

/** What can be done to many schedules at once. */
export type BulkKind = 'pause' | 'unpause' | 'trigger' | 'tag';

/** Which schedules: those that match all that is given. */
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

/** What it would be about. */
export interface BulkPlan {
  total: number;
  /** Of how many nothing would be changed. */
  unchanged: number;
  /** Some of them. */
  schedules: { scheduleId: string; paused: boolean; nextFireAt: string | null }[];
}

/** A change of many, and how far it has come. */
export interface Operation {
  operationId: string;
  kind: BulkKind;
  state: 'running' | 'done' | 'cancelled';
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

export function planBulk(kind: BulkKind, filter: BulkFilter, change: Change): Promise<BulkPlan> {
  return json(`v1/bulk/${kind}`, { method: 'POST', body: { filter, ...change, dryRun: true } });
}

/** @param expectedTotal what the plan counted: of another number nothing is changed */
export function startBulk(
  kind: BulkKind,
  filter: BulkFilter,
  change: Change,
  expectedTotal: number,
): Promise<Operation> {
  return json(`v1/bulk/${kind}`, { method: 'POST', body: { filter, ...change, expectedTotal } });
}

export function operationPath(operationId: string): string {
  return `v1/operations/${encodeURIComponent(operationId)}`;
}

export function stopOperation(operationId: string, how: 'cancel' | 'undo'): Promise<Operation> {
  return json(`${operationPath(operationId)}/${how}`, { method: 'POST', body: {} });
}

const PAGE_SIZE = '200';

/** Names of all that a list shows, page by page: of the lists that no filter stands for. */
export async function allListed(path: string): Promise<string[]> {
  const names: string[] = [];
  const [address, query] = path.split('?', 2) as [string, string];
  const asked = new URLSearchParams(query);
  asked.delete('cursor');
  asked.set('pageSize', PAGE_SIZE);
  for (;;) {
    const { rows, nextCursor } = await json<{ rows: ScheduleRow[]; nextCursor?: string }>(`${address}?${asked}`);
    for (const { scheduleId } of rows) names.push(scheduleId);
    if (nextCursor === undefined) return names;
    asked.set('cursor', nextCursor);
  }
}
