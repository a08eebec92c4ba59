import type { Connection } from '@temporalio/client';
import type { Ledger } from '../../lib/ledger';
import type { Scheduler } from '../../lib/schedulers/schedulers';

/** How many occurrences each scheduler itself says that it skipped, missed, dropped or gave up. */
export async function recordedAsNotRun(
  connection: Connection,
  ledger: Ledger,
  scheduleIds: readonly string[],
): Promise<Record<Scheduler, number>> {
  const [gaps] = await ledger.query<{ count: number }>(
    'select coalesce(sum(count), 0)::int as count from escapement.gaps',
  );
  return {
    ours: (await ledger.count(`state in ('skipped', 'abandoned')`)) + gaps!.count,
    first: await countersOf(connection, 'first', scheduleIds),
    second: await countersOf(connection, 'second', scheduleIds),
  };
}

/** Temporal's schedules have no record of each occurrence, only these counters. */
async function countersOf(
  { workflowService }: Connection,
  namespace: Scheduler,
  scheduleIds: readonly string[],
): Promise<number> {
  let total = 0;
  for (const scheduleId of scheduleIds) {
    const { info } = await workflowService.describeSchedule({ namespace, scheduleId });
    const { missedCatchupWindow, overlapSkipped, bufferDropped } = info!;
    total += Number(missedCatchupWindow) + Number(overlapSkipped) + Number(bufferDropped);
  }
  return total;
}
