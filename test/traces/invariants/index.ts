import type { Snapshot } from '../snapshot';
import type { World } from '../world';
import { checkAhead } from './ahead';
import { checkAnswers, checkNewAnswers } from './answers';
import { checkChain, noteBegun, noteInterrupting, unsettledResets } from './chains';
import { checkStopped, noteClaim, noteResets, noteRestart } from './claims';
import { checkFields, checkNoneGone, checkTransition } from './firings';
import { LetterInvariants } from './letters';
import { checkLiveness } from './liveness';
import { Memory } from './memory';
import { checkPauses, checkRemaining, checkWakes, followChanges } from './schedules';
import { checkSkips } from './skips';
import { stepOf } from './step';

/** Compares each state of a ledger with the previous one, with the model, and with what Temporal did. */
export class Invariants {
  readonly #memory: Memory;
  readonly #letters: LetterInvariants;

  constructor(private readonly world: World) {
    this.#memory = new Memory(world);
    this.#letters = new LetterInvariants(this.#memory);
  }

  /** What is wrong after a step; nothing, if all is well. */
  check(after: Snapshot): string[] {
    const memory = this.#memory;
    memory.problems = [...this.world.network.violations];
    memory.step++;
    memory.before = memory.after;
    memory.after = after;
    noteResets(memory);
    noteInterrupting(memory);
    for (const schedule of this.world.schedules) {
      const step = stepOf(schedule, memory.before, after, this.world);
      if (!step) {
        memory.problem(`${schedule.scheduleId} has no row`);
        continue;
      }
      followChanges(memory, schedule, step);
      for (const row of step.firings) noteRestart(memory, step, row);
      checkAnswers(memory, step);
      checkNewAnswers(memory, step);
      checkAhead(memory, step);
      checkRemaining(memory, step);
      checkPauses(memory, step);
      checkWakes(memory, step);
      checkStopped(memory, step);
      for (const row of step.firings) {
        checkFields(memory, row);
        checkTransition(memory, step, row);
        noteClaim(memory, step, row);
      }
      checkNoneGone(memory, step);
    }
    noteBegun(memory);
    for (const row of after.firings) checkChain(memory, row);
    checkSkips(memory);
    this.#letters.check(after);
    checkLiveness(memory);
    return memory.problems;
  }

  /** Firings whose chain a person has reset after a failure, and whose new end is not recorded yet. */
  unsettledResets(): string[] {
    return unsettledResets(this.#memory);
  }
}
