import { CancellationScope, condition } from '@temporalio/workflow';

/**
 * How often all others may go on before it is the next one's turn. Once is enough for branches that wait for promises.
 * Each `condition()` that a branch passes in the same activation takes once more.
 */
const ROUNDS = 10;

/**
 * Lets the outcome of a local activity go on when all other branches have come to rest, one outcome after the other.
 *
 * A local activity may outlast its workflow task, and another branch go on in the next one. Then its outcome arrives
 * alone, after that branch has issued its commands. A replay delivers both at once (SDK 1.24): whichever passed fewer
 * promises would issue its commands first, and the run would never replay.
 */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** The outcome, in its turn. */
  take<Result>(outcome: Promise<Result>): Promise<Result> {
    const { cancellable, cancelRequested } = CancellationScope.current();
    // A replay delivers the outcome with the cancellation, and the first execution with what other branches get by it.
    const end = cancellable ? Promise.race([outcome, cancelRequested]) : outcome;
    return end.finally(() => {
      this.#last = this.#last.then(() => CancellationScope.nonCancellable(othersRest));
      return this.#last;
    });
  }
}

/** The SDK asks conditions when no promise is left that can go on. */
async function othersRest(): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    let asked = 0;
    await condition(() => asked++ > 0);
  }
}
