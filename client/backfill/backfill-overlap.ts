import { decideOverlap } from '../../core/decisions/overlap';
import type { OverlapPolicy } from '../../core/schedule/policies';
import { readOpenPolicies } from '../../store/firings/backfill';
import type { ScheduleRow } from '../../store/reads/read-schedules';
import type { ClientContext } from '../context';

const NEVER_SKIPS: ReadonlySet<OverlapPolicy> = new Set(['BUFFER_ALL', 'ALLOW_ALL']);

/**
 * Read how many firings block a schedule now, and the policies of the buffered ones.
 *
 * @param policies the overlap policies of the requested firings; undefined means the schedule's own
 * @returns a function that counts how many requested firings, oldest first, the overlap policy would skip
 */
export async function overlapOutlook(
  { store }: ClientContext,
  { scheduleId, policies: { overlap, maxConcurrent } }: ScheduleRow,
  policies: (OverlapPolicy | undefined)[],
): Promise<(asked: (OverlapPolicy | undefined)[]) => number> {
  if (policies.every((policy) => NEVER_SKIPS.has(policy ?? overlap))) return () => 0;
  const { held, waiting } = await readOpenPolicies(store, scheduleId);
  const before = waiting.map((policy) => ({ policy: policy ?? overlap, waitingSince: 0 }));
  return (asked) => {
    const candidates = asked.map((policy) => ({ policy: policy ?? overlap, waitingSince: 1 }));
    const { decisions } = decideOverlap(held, [...before, ...candidates], maxConcurrent);
    return decisions.slice(before.length).filter((decision) => decision === 'skip' || decision === 'supersede').length;
  };
}
