import { isOver, nameOf } from '../rows';
import type { FiringRow } from '../snapshot';
import type { Memory } from './memory';
import type { ScheduleStep } from './step';

/** A firing that is handed over ahead is claimed no earlier than this. */
const AHEAD_AT_MOST_MILLISECONDS = 10_000;

/**
 * Decisions before the due time are only allowed if no later event could change them: the firing is claimed, and
 * nothing may hold it back.
 */
export function checkAhead(memory: Memory, { eraBefore, firings, formerly }: ScheduleStep): void {
  const { overlap, maxConcurrent, pauseOnFailure } = eraBefore.policies;
  const isUnbound = overlap === 'ALLOW_ALL' && maxConcurrent === undefined && !pauseOnFailure;
  const mayKeepBack = (row: FiringRow) => {
    const former = formerly.get(row.scheduled_time);
    const chain = memory.chainOf(row);
    const isOpen = former !== undefined && !isOver(former) && !isOver(row);
    return isOpen && !isUnbound && !(chain && memory.isLetGo(chain));
  };
  for (const row of firings) {
    const ahead = row.scheduled_time - row.claimed_at;
    if (ahead <= 0 || row.kind === 'manual' || row.reason === 'excluded' || formerly.has(row.scheduled_time)) continue;
    const isInTime = ahead <= AHEAD_AT_MOST_MILLISECONDS && row.starts_at === row.scheduled_time;
    if (!isInTime || row.state === 'skipped' || row.state === 'buffered') {
      memory.problem(`${nameOf(row)} was decided early`);
    }
    const other = firings.find(mayKeepBack);
    if (other) memory.problem(`${nameOf(row)} was handed over beside ${nameOf(other)}`);
  }
}
