import type { BulkTask } from '../../store/bulk/operations';
import { readQueued } from '../../store/bulk/schedules';
import type { Store } from '../../store/connection';

/** For each of these schedules, the earlier operations that still have to change it, in their order. */
export async function tasksBefore(
  store: Store,
  earlier: BulkTask[],
  scheduleIds: string[],
): Promise<Map<string, BulkTask[]>> {
  if (earlier.length === 0) return new Map();
  const operationIds = earlier.map(({ operationId }) => operationId);
  const queued = new Set((await readQueued(store, operationIds, scheduleIds)).map(keyOf));
  const isQueued = (scheduleId: string) => (task: BulkTask) => queued.has(keyOf({ ...task, scheduleId }));
  return new Map(scheduleIds.map((scheduleId) => [scheduleId, earlier.filter(isQueued(scheduleId))]));
}

function keyOf({ operationId, scheduleId }: { operationId: string; scheduleId: string }): string {
  return `${operationId} ${scheduleId}`;
}
