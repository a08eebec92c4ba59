import {
  type ActivateInput,
  CancellationScope,
  type ConcludeActivationInput,
  type ConcludeActivationOutput,
  condition,
  type Next,
  type WorkflowInternalsInterceptor,
} from '@temporalio/workflow';

type Job = NonNullable<ActivateInput['activation']['jobs']>[number];

/**
 * How many rounds all other branches get before the next outcome is delivered. One round is enough for branches that
 * wait only for promises. Each `condition()` that a branch passes in the same activation needs one more round.
 */
const ROUNDS = 10;

/**
 * Holds back the outcomes of a run's local activities until all other branches of the workflow wait, and delivers them
 * one by one. Outcomes are held back once the run has first tried to park a step.
 *
 * A local activity may outlast its workflow task, while another branch goes on in the next task. In the first
 * execution, the local activity's outcome then arrives alone, after that branch has issued its commands. A replay
 * delivers the outcome together with what woke that branch (SDK 1.24), and with other outcomes of the task. Without
 * this class, the branch that awaits fewer promises would issue its commands first, and the run could not be replayed.
 */
export class Turns implements WorkflowInternalsInterceptor {
  #begun = false;
  /** Resolves when all branches wait after the last cancellation. Cancellations take effect one by one too. */
  #last: Promise<void> = Promise.resolve();
  #waiting: Job[] = [];

  /**
   * The outcome of the local activity that parks a step, or the cancellation of its scope if the cancellation comes
   * first.
   */
  unlessCancelled<Result>(outcome: Promise<Result>): Promise<Result> {
    this.#begun = true;
    const scope = CancellationScope.current();
    if (!scope.cancellable) return outcome;
    return Promise.race([outcome, scope.cancelRequested]).finally(() => {
      if (!scope.consideredCancelled) return;
      this.#last = this.#last.then(othersRest);
      return this.#last;
    });
  }

  activate(input: ActivateInput, next: Next<WorkflowInternalsInterceptor, 'activate'>): void {
    if (this.#begun) this.#hold(input, next);
    else next(input);
  }

  #hold(input: ActivateInput, next: Next<WorkflowInternalsInterceptor, 'activate'>): void {
    const deliver = (jobs: Job[]) => next({ ...input, activation: { ...input.activation, jobs } });
    const jobs = input.activation.jobs ?? [];
    this.#waiting = jobs.filter((job) => job.resolveActivity?.isLocal);
    deliver(jobs.filter((job) => !job.resolveActivity?.isLocal));
    // If an outcome cannot be delivered, the SDK fails the workflow task for the rejection that nobody handles.
    void this.#inTurn(this.#waiting, deliver);
  }

  async #inTurn(outcomes: Job[], deliver: (jobs: Job[]) => void): Promise<void> {
    for (const outcome of outcomes) {
      // In the first execution, all cancellations took effect before this outcome arrived.
      for (let last: unknown; last !== this.#last; ) {
        last = this.#last;
        await last;
        await othersRest();
      }
      deliver([outcome]);
    }
  }

  /** Drop requests to cancel a local activity whose outcome has arrived: the SDK would fail the workflow task. */
  concludeActivation(
    input: ConcludeActivationInput,
    next: Next<WorkflowInternalsInterceptor, 'concludeActivation'>,
  ): ConcludeActivationOutput {
    const ended = new Set(this.#waiting.map((job) => job.resolveActivity?.seq));
    const { commands } = next(input);
    return { commands: commands.filter(({ requestCancelLocalActivity: asked }) => !asked || !ended.has(asked.seq)) };
  }
}

/** Resolves when all other branches wait. The SDK evaluates conditions only when no promise can continue. */
function othersRest(): Promise<void> {
  return CancellationScope.nonCancellable(async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      let asked = 0;
      await condition(() => asked++ > 0);
    }
  });
}
