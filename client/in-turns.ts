import { setImmediate } from 'node:timers/promises';
import { newSteps, withinSteps } from '../core/occurrences';

const TURN_MILLISECONDS = 8;

/** Divides a long computation into turns of some milliseconds. Between turns the process answers other requests. */
export class Turns {
  #ends = Date.now() + TURN_MILLISECONDS;

  get isOver(): boolean {
    return Date.now() > this.#ends;
  }

  async next(): Promise<void> {
    if (!this.isOver) return;
    await setImmediate();
    this.#ends = Date.now() + TURN_MILLISECONDS;
  }
}

/**
 * Returns, turn by turn, what a generator finds. The generator calls `foundOne` for each occurrence, and has one budget
 * of steps for all turns.
 *
 * @throws {InvalidScheduleError} if it takes more steps
 */
export async function* inTurns<Found>(occurrences: Iterator<Found>, turns = new Turns()): AsyncGenerator<Found[]> {
  const steps = newSteps();
  for (let isLast = false; !isLast; await turns.next()) {
    const found: Found[] = [];
    const findSome = () => {
      while (!turns.isOver) {
        const { value, done } = occurrences.next();
        if (done) return true;
        found.push(value);
      }
      return false;
    };
    isLast = withinSteps('spec', findSome, steps);
    yield found;
  }
}
