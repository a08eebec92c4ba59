import {
  ActivityFailure,
  type ActivityInput,
  CancellationScope,
  isCancellation,
  type LocalActivityInput,
  type Next,
  patched,
  type SignalInput,
  scheduleActivity,
  type WorkflowInboundCallsInterceptor,
  type WorkflowInterceptors,
  type WorkflowOutboundCallsInterceptor,
  workflowInfo,
} from '@temporalio/workflow';
import { BURY_STEP, PARK_SIGNAL } from '../core/letters/park';
import { EARLY_DECISION_PATCH, PARK_PATCH } from '../core/letters/park-patch';
import { failureTypesOf, stepOf } from './failed-step';
import { ParkedSteps, type ParkSignal } from './parked-steps';
import { Turns } from './turns';
import { bury, type FiringMemo } from './write-letter';

/**
 * Parks the workflow of a firing at a step that Temporal does not retry any more, if the worker's rules match the step.
 * The call of the step then waits until the step is redriven, completed or discarded, or its scope is cancelled. Until
 * a step has failed, or a decision about one arrives, the interceptor adds nothing to the workflow's history.
 */
export const interceptors = (): WorkflowInterceptors => {
  const turns = new Turns();
  const parked = new ParkedSteps();
  return { inbound: [new EarlySignals(parked)], outbound: [new ParkInterceptor(turns, parked)], internals: [turns] };
};

/**
 * Decisions that arrive before the first step has failed do not reach the workflow's own default handler. Without such
 * a handler, the SDK itself would hold them back. In a history from before this patch, that handler got them, and may
 * have acted on them.
 */
class EarlySignals implements WorkflowInboundCallsInterceptor {
  constructor(private readonly parked: ParkedSteps) {}

  /** This method is not async, since an extra promise would delay other signals. */
  handleSignal(input: SignalInput, next: Next<WorkflowInboundCallsInterceptor, 'handleSignal'>): Promise<void> {
    const isEarly = input.signalName === PARK_SIGNAL && workflowInfo().memo?.escapement && !this.parked.isListening;
    if (!isEarly || !patched(EARLY_DECISION_PATCH)) return next(input);
    this.parked.keep(input.args as ParkSignal);
    return Promise.resolve();
  }
}

class ParkInterceptor implements WorkflowOutboundCallsInterceptor {
  /** The letter of the step that is being scheduled again. */
  #letterAgain: string | undefined;

  constructor(
    private readonly turns: Turns,
    private readonly parked: ParkedSteps,
  ) {}

  /**
   * This method is not async, and returns the SDK's own promise if no firing started the workflow: an extra promise
   * would deliver the activity's result a microtask later, possibly after that of a timer.
   */
  scheduleActivity(
    input: ActivityInput,
    next: Next<WorkflowOutboundCallsInterceptor, 'scheduleActivity'>,
  ): Promise<unknown> {
    const firing = workflowInfo().memo?.escapement as FiringMemo | undefined;
    const letterId = this.#letterAgain;
    this.#letterAgain = undefined;
    const step = next(input);
    return firing ? step.catch((failure: unknown) => this.#park(firing, input, failure, letterId)) : step;
  }

  /** Local activities are never parked. */
  scheduleLocalActivity(
    input: LocalActivityInput,
    next: Next<WorkflowOutboundCallsInterceptor, 'scheduleLocalActivity'>,
  ): Promise<unknown> {
    const outcome = next(input);
    return input.activityType === BURY_STEP ? this.turns.unlessCancelled(outcome) : outcome;
  }

  async #park(firing: FiringMemo, input: ActivityInput, failure: unknown, former?: string): Promise<unknown> {
    const step = failedStep(failure);
    if (!step || !patched(PARK_PATCH)) throw failure;
    // If the scope of a step is cancelled, the step cannot be parked: it fails as without the plugin.
    if (CancellationScope.current().consideredCancelled) throw failure;

    const failedAt = Date.now();
    const failureTypes = failureTypesOf(step);
    const parked = this.parked.enter(stepOf(step));
    const burial = { step: parked.step, failureTypes, failedAt };
    let letterId: string;
    try {
      const answer = await bury(firing, burial, former ? { letterId: former } : {});
      if (answer.decision === 'fail') throw failure;
      const verdict = await parked.decided(answer, (known) => bury(firing, burial, known));
      if (verdict.decision === 'complete') return verdict.result;
      if (verdict.decision === 'discard') throw failure;
      letterId = verdict.letterId;
    } finally {
      parked.leave();
    }
    // The step is scheduled again as a new activity, since each activity number occurs only once in a history. The new
    // activity may be parked too, under the same letter.
    this.#letterAgain = letterId;
    // The arguments may have changed: a workflow may let a person correct them while its step is parked.
    return scheduleActivity(input.activityType, input.args, input.options, input.typeInfo);
  }
}

/** Another interceptor may have wrapped the step's own failure. */
function failedStep(failure: unknown): ActivityFailure | undefined {
  if (isCancellation(failure)) return undefined;
  for (let cause = failure; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ActivityFailure) return cause;
  }
  return undefined;
}
