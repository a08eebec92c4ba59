import { setTimeout } from 'node:timers/promises';

const LOOK_EVERY_MILLISECONDS = 20;

/**
 * Lets work through, except while a caller holds the gate. The holder first waits until the work in progress has ended.
 */
export class Gate {
  #holders = 0;
  #underWay = 0;

  async through<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.#holders > 0) await setTimeout(LOOK_EVERY_MILLISECONDS);
    this.#underWay += 1;
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
    }
  }

  async heldDuring<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#holders += 1;
    try {
      while (this.#underWay > 0) await setTimeout(LOOK_EVERY_MILLISECONDS);
      return await work();
    } finally {
      this.#holders -= 1;
    }
  }
}
