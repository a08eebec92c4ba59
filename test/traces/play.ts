import { carryOut } from './carry-out';
import type { Command } from './commands';
import { Invariants } from './invariants';
import { quiesce } from './quiesce';
import type { TraceSetup } from './setup';
import { readSnapshot } from './snapshot';
import { TracedTemporal } from './temporal';
import { type TemporalOnClock, type TraceDatabase, World } from './world';

/** A trace: its initial state, and its steps. */
export interface Trace {
  setup: TraceSetup;
  commands: Command[];
}

/**
 * Play a trace to its end, let all work finish, and check the ledger after each step.
 *
 * @throws {Error} with the problem, and the step after which it occurred
 */
export async function play(
  database: TraceDatabase,
  { setup, commands }: Trace,
  temporal: TemporalOnClock = (clock) => new TracedTemporal(clock),
): Promise<void> {
  let doing = 'the beginning';
  let world: World | undefined;
  try {
    world = await World.create(database, setup, temporal);
    const invariants = new Invariants(world);
    const { sql } = database;
    const look = async () => {
      const seen = await readSnapshot(sql);
      const problems = invariants.check(seen);
      world!.seen = seen;
      if (problems.length > 0) throw new Error(problems.join('\n'));
    };
    await look();
    for (const [index, command] of commands.entries()) {
      if (command.do === 'nothing') continue;
      doing = `step ${index}, ${JSON.stringify(command)}`;
      world.begin();
      await carryOut(world, command);
      if (touchesLedger(command)) await look();
    }
    doing = 'coming to rest';
    world.begin();
    await quiesce(world, invariants, look);
  } catch (error) {
    throw new Error(`after ${doing}: ${(error as Error).message}`, { cause: error });
  } finally {
    try {
      await world?.close();
      await world?.double.close();
    } finally {
      await database.clear();
    }
  }
}

/** Steps of time, Temporal or the network do not write to the ledger. */
function touchesLedger({ do: what }: Command): boolean {
  return what === 'run' || what === 'run before' || what === 'die' || what === 'interleave' || what === 'park';
}
