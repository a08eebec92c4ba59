import type { Facts } from './check/facts';
import type { FaultFact } from './journal';
import type { ChaosSchedule } from './workload/definitions';

/** A firing belongs to a fault if it was due during the fault, or at most this long before or after it. */
const BESIDE_A_FAULT_MILLISECONDS = 5_000;

/**
 * For each start that a trigger made after a takeover: how long the firing waited for it. The wait begins when the first
 * of the faults that met the firing began, or when the firing was due if that is later. The wait ends at the first
 * workflow task, according to Temporal's history.
 *
 * @param faults the faults of one kind
 * @returns whole milliseconds in ascending order
 */
export function recoveredMilliseconds(faults: readonly FaultFact[], facts: Facts): number[] {
  const counted = new Set(facts.schedules.filter(waitsForNothing).map(({ scheduleId }) => scheduleId));
  const chains = new Map(facts.chains.map((chain) => [chain.firstRunId, chain]));
  const times = facts.firings.flatMap(({ scheduleId, time, epoch, runId, recoveredAt }) => {
    const { startedAt, firstTaskAt } = chains.get(runId ?? '') ?? {};
    if (!counted.has(scheduleId) || epoch > 0 || recoveredAt === null) return [];
    // If the workflow was started before the takeover, the first call had started it, and only the answer was lost.
    const isStartOfTakeover = startedAt !== undefined && startedAt >= recoveredAt;
    if (!isStartOfTakeover || firstTaskAt === undefined) return [];
    const began = faults
      .filter((fault) => isBeside(fault, time) && fault.began < firstTaskAt)
      .map((fault) => fault.began);
    return began.length === 0 ? [] : [Math.max(0, Math.round(firstTaskAt - Math.max(time, Math.min(...began))))];
  });
  return times.sort((one, other) => one - other);
}

/** Whether the schedule's firings wait for no other firing, and no request changes it. */
function waitsForNothing({ policies: { overlap = 'SKIP', maxConcurrent }, asked }: ChaosSchedule): boolean {
  return ['ALLOW_ALL', 'SKIP'].includes(overlap) && !maxConcurrent && !asked;
}

function isBeside({ began, ended }: FaultFact, time: number): boolean {
  return time >= began - BESIDE_A_FAULT_MILLISECONDS && time <= ended + BESIDE_A_FAULT_MILLISECONDS;
}
