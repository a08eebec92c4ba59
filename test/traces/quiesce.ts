import { carryOut } from './carry-out';
import type { Invariants } from './invariants';
import { nameOf } from './rows';
import { UNREGISTERED } from './setup';
import type { FiringRow } from './snapshot';
import { PASSES, type World } from './world';

const FINAL = new Set(['closed', 'skipped', 'abandoned']);
/** Longer than any pause of a breaker, any check of a claim, and the timeout of heartbeats. */
const LONG_MILLISECONDS = 31_000;
/** Ended chains are looked at again within it. */
const LONGEST_RESET_CHECK_MILLISECONDS = 60 * 60 * 1_000;
const ROUNDS_AT_MOST = 400;
/**
 * By then, starts that Temporal refuses permanently are abandoned. Other firings may still wait behind the next ones.
 */
const MENDED_AFTER_ROUNDS = 50;
const RESET_ROUNDS_AT_MOST = 20;

/**
 * Let all work finish: Temporal answers, delayed calls arrive, workflows end, and one live trigger runs its passes.
 * Calls `check` after each round.
 *
 * @throws {Error} that names rows that were open at the beginning and still are
 */
export async function quiesce(world: World, invariants: Invariants, look: () => Promise<void>): Promise<void> {
  world.double.isAway = false;
  world.double.registerNamespace(UNREGISTERED);
  world.network.calm();
  const open = new Set(world.seen.firings.filter(isOpen).map(keyOf));
  const stillOpen = () => world.seen.firings.filter((row) => open.has(keyOf(row)) && isOpen(row));

  await world.advance(LONG_MILLISECONDS);
  await pass(world, look);
  for (let round = 1; stillOpen().length > 0; round++) {
    if (round === ROUNDS_AT_MOST) throw new Error(`these never end: ${stillOpen().map(nameOf).join(', ')}`);
    if (round === MENDED_AFTER_ROUNDS) await mend(world, look);
    const isLong = round % 10 === 0;
    await endChains(world, isLong ? LONG_MILLISECONDS : 1_001);
    if (isLong) await world.run(0, ['sweep']);
    await pass(world, look);
  }
  if (world.reset.size === 0) return;

  await world.advance(LONGEST_RESET_CHECK_MILLISECONDS);
  await pass(world, look);
  for (let round = 1; invariants.unsettledResets().length > 0; round++) {
    const unsettled = invariants.unsettledResets();
    if (round === RESET_ROUNDS_AT_MOST) throw new Error(`how these ended is not known: ${unsettled.join(', ')}`);
    await endChains(world, LONG_MILLISECONDS);
    await pass(world, look);
  }
}

/** A person corrects every definition. */
async function mend(world: World, look: () => Promise<void>): Promise<void> {
  for (const schedule of world.schedules.keys()) {
    world.begin();
    await carryOut(world, { do: 'run', task: { schedule, change: 'update', to: { mended: true } } });
    await look();
  }
  world.begin();
}

async function pass(world: World, look: () => Promise<void>): Promise<void> {
  await world.run(0, PASSES);
  await look();
}

async function endChains(world: World, milliseconds: number): Promise<void> {
  const begun = world.double.running().filter((chain) => chain.beginsAt <= world.clock.now());
  for (const { namespace, workflowId } of begun) world.double.finish(namespace, workflowId);
  await world.advance(milliseconds);
}

function isOpen({ state }: FiringRow): boolean {
  return !FINAL.has(state);
}

function keyOf(row: FiringRow): string {
  return `${row.schedule_id} ${row.scheduled_time}`;
}
