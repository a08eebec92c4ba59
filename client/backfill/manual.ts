import type { ScheduleDefinition } from '../../core/definition/definition';
import { checkEncodable } from '../../core/definition/encodable';
import type { EncodedArgs } from '../../core/definition/encoded-args';
import { workflowIdOf } from '../../core/identity';
import type { OverlapPolicy } from '../../core/schedule/policies';
import type { Store } from '../../store/connection';
import { bufferManualFiring, insertManualVersion, nextManualTime } from '../../store/firings/manual';
import { ensurePartitions } from '../../store/firings/partitions';
import { type Firing, readFiring } from '../../store/reads/read-firings';
import type { LockedSchedule } from '../../store/schedules/lock';
import type { ClientContext } from '../context';
import { refuseFrozen } from '../freezes/refuse-frozen';
import { refuseOutside } from '../tenants/limits';
import { changeLive, readLive } from '../update/change';

/** How to fire a schedule manually. */
export interface ManualFiringOptions {
  /** The overlap policy if another firing is running. @default 'ALLOW_ALL', as in Temporal */
  overlap?: OverlapPolicy;
  /** Arguments for this firing only, plain or encoded. @default the schedule's arguments */
  args?: unknown[] | EncodedArgs;
  /** Fire even if a freeze holds the schedule. @default false: throws `ScheduleFrozenError` */
  duringFreeze?: boolean;
}

export async function triggerLive(
  context: ClientContext,
  scheduleId: string,
  given: ManualFiringOptions,
): Promise<Firing> {
  const { overlap, args } = given;
  if (args) checkEncodable(args, 'args');
  const encode = async ({ namespace, action }: ScheduleDefinition) =>
    args && context.codec.encodeArgs({ scheduleId, namespace, action }, args);
  // Encode before the lock is taken, since a codec may call a remote service.
  const before = args && (await readLive(context, scheduleId));
  const encoded = before && (await encode(before));
  return changeLive(context, scheduleId, async (transaction, locked) => {
    await refuseOutside(transaction, [locked]);
    await refuseFrozen(context, transaction, scheduleId, given);
    const isSame = before?.version === locked.version;
    const own = isSame ? encoded : await encode(locked.definition);
    return fireManually(transaction, locked, { actor: context.identity, overlap, args: own });
  });
}

/** Write one manual firing of a locked schedule. The nominal time of the firing is about now. */
export async function fireManually(
  transaction: Store,
  locked: LockedSchedule,
  firing: { actor: string; overlap: OverlapPolicy | undefined; args?: Uint8Array | undefined },
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
    version: firing.args ? await insertManualVersion(transaction, locked, firing.actor, firing.args) : locked.version,
    workflowId: workflowIdOf(identity),
  });
  return (await readFiring(transaction, scheduleId, scheduledTime))!;
}
