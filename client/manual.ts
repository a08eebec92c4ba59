import { workflowIdOf } from '../core/identity';
import type { OverlapPolicy } from '../core/schedule';
import type { Store } from '../store/connection';
import type { LockedSchedule } from '../store/lock';
import { bufferManualFiring, nextManualTime } from '../store/manual';
import { ensurePartitions } from '../store/partitions';
import { type Firing, readFiring } from '../store/read-firings';

/** How a manual firing goes. */
export interface ManualFiringOptions {
  /** @default 'ALLOW_ALL', as Temporal's */
  overlap?: OverlapPolicy;
}

/** Ask for a firing of a locked schedule, besides its spec. */
export async function fireManually(
  transaction: Store,
  locked: LockedSchedule,
  firing: { actor: string; overlap: OverlapPolicy | undefined },
): Promise<Firing> {
  const { scheduleId } = locked;
  const scheduledTime = await nextManualTime(transaction, locked);
  await ensurePartitions(transaction, [scheduledTime]);
  const { workflowId } = locked.definition.action;
  const identity = { scheduleId, scheduledTime, workflowId, kind: 'manual' as const, epoch: 0 };
  await bufferManualFiring(transaction, locked, {
    actor: firing.actor,
    overlap: firing.overlap ?? 'ALLOW_ALL',
    scheduledTime,
    workflowId: workflowIdOf(identity),
  });
  return (await readFiring(transaction, scheduleId, scheduledTime))!;
}
