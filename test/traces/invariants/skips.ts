import { keyOf, nameOf } from '../rows';
import type { FiringRow, Snapshot } from '../snapshot';
import type { PlayedChain } from '../temporal';
import type { Memory } from './memory';

/**
 * A firing skipped for overlap has another firing as the reason: one that runs, or one that has yet to begin if the
 * reason says so.
 */
export function checkSkips(memory: Memory): void {
  const { before, after } = memory;
  const now = memory.world.clock.now();
  const formerly = new Map(before.firings.map((row) => [keyOf(row), row]));
  const isNew = (row: FiringRow) => formerly.get(keyOf(row))?.state !== row.state;
  for (const row of after.firings) {
    if (row.state !== 'skipped' || formerly.get(keyOf(row))?.state === 'skipped') continue;
    if (row.reason !== 'overlap' && row.reason !== 'overlap_waiting' && row.reason !== 'superseded') continue;
    const holds = (other: FiringRow) => {
      if (other === row || other.schedule_id !== row.schedule_id) return false;
      const chain = memory.chainOf(other);
      const runs = chain !== undefined && chain.endsAt >= now && !isLetGoNow(memory, chain);
      if (runs || row.reason === 'overlap') return runs;
      if (other.state === 'claimed' || other.state === 'buffered') return true;
      // A pause or a deletion in this very step has stopped it before it began.
      if (other.reason === 'paused' || other.reason === 'schedule_deleted')
        return other.ready_at !== null && isNew(other);
      return other.state === 'abandoned' && formerly.get(keyOf(other))?.state === 'claimed';
    };
    if (!after.firings.some(holds)) memory.problem(`${nameOf(row)} was skipped for nothing that runs`);
  }
}

/** Whether one of its steps was parked during this whole step without a decision. */
function isLetGoNow(memory: Memory, chain: PlayedChain): boolean {
  const { double } = memory.world;
  const letterId = double.parked.get(chain)?.letterId;
  const isOpen = ({ letters }: Snapshot) => letters.some((one) => one.letter_id === letterId && one.state === 'open');
  return memory.isLetGo(chain) && double.isParked(chain) && isOpen(memory.before) && isOpen(memory.after);
}
