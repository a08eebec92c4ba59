import { type FiringRow, readSnapshot } from './snapshot';
import { PASSES, type World } from './world';

const FINAL = new Set(['closed', 'skipped', 'abandoned']);
/** Longer than any pause of a breaker, any check of a claim, and a beat that has stopped. */
const FIRST_WAIT_MILLISECONDS = 31_000;
const ROUNDS_AT_MOST = 400;

/**
 * Let everything come to rest: Temporal answers, what is under way has arrived, workflows end, and one living trigger
 * makes its passes. Calls `look` after each round.
 *
 * @returns rows that were open when it began and still are
 */
export async function quiesce(world: World, look: () => Promise<void>): Promise<FiringRow[]> {
  const { network, double, database } = world;
  double.setAway(false);
  network.calm();
  const before = await readSnapshot(database.sql);
  let open = before.firings.filter(isOpen);
  await world.advance(FIRST_WAIT_MILLISECONDS);
  for (let round = 0; round < ROUNDS_AT_MOST; round++) {
    await world.run(0, PASSES);
    await look();
    const keys = new Set(open.map(keyOf));
    open = (await readSnapshot(database.sql)).firings.filter((row) => keys.has(keyOf(row)) && isOpen(row));
    if (open.length === 0 && round > 0) return [];
    for (const chain of double.chains()) if (chain.outcome === undefined) double.finish(chain, 'completed');
    await world.advance(round % 10 === 9 ? FIRST_WAIT_MILLISECONDS : 1_001);
  }
  return open;
}

function isOpen({ state }: FiringRow): boolean {
  return !FINAL.has(state);
}

function keyOf(row: FiringRow): string {
  return `${row.schedule_id} ${row.scheduled_time}`;
}
