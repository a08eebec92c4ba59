import type { LetterState, RedriveRequest } from '../../core/letters/redrive';
import { describeSteps, type Step } from '../../core/letters/reset-point';
import type { DiscardStands } from '../../store/letters/restore';

/** What a person wants to do with a letter. */
export type LetterIntent = 'redrive' | 'complete' | 'discard' | 'restore';

/** No dead letter has this ID. */
export class DeadLetterNotFoundError extends Error {
  override readonly name = 'DeadLetterNotFoundError';
  constructor(
    /** The ID that was given. */
    readonly letterId: string,
  ) {
    super(`there is no dead letter '${letterId}'; 'escapement dead-letter list' lists them`);
  }
}

const DONE: Record<LetterState, string> = {
  open: 'nobody has decided on it',
  redriving: "it is being redriven; wait until its workflow chain has ended, or see 'escapement dead-letter show'",
  resolved: "its firing has completed, or Temporal's own schedule had started it; nothing is left to do",
  discarded: "it was discarded; 'escapement dead-letter restore' undoes that, if it is still possible",
};

/** The state of the letter does not allow what was requested. */
export class DeadLetterStateError extends Error {
  override readonly name: string = 'DeadLetterStateError';
  constructor(
    /** ID of the letter. */
    readonly letterId: string,
    /** State of the letter. */
    readonly state: LetterState,
    intent: LetterIntent,
    why = DONE[state],
  ) {
    super(`cannot ${intent} the dead letter '${letterId}', which is ${state}: ${why}`);
  }
}

/** Another decision about the letter is being carried out. Nothing was changed. */
export class DeadLetterConflictError extends DeadLetterStateError {
  override readonly name: string = 'DeadLetterConflictError';
  constructor(
    letterId: string,
    intent: LetterIntent,
    /** The decision that was requested before. */
    readonly decided: {
      /**
       * The mode of the redrive; `complete` or `discard` for such a decision; or `expire` if the step was parked too
       * long.
       */
      mode: RedriveRequest['mode'];
      /** Who requested the decision; null if the step was parked too long. */
      actor: string | null;
      /** When the decision was requested, ISO 8601. */
      askedAt: string;
    },
  ) {
    super(letterId, 'redriving', intent);
    this.message = `cannot ${intent} the dead letter '${letterId}': ${decisionOf(decided)}; wait until that is done, and read the letter again`;
  }
}

function decisionOf({ mode, actor, askedAt }: DeadLetterConflictError['decided']): string {
  if (mode === 'expire') return `its step was parked for too long, and has been due to fail since ${askedAt}`;
  const wanted = { complete: 'complete its step', discard: 'discard it' } as Partial<Record<typeof mode, string>>;
  return `${actor ?? 'somebody'} asked at ${askedAt} to ${wanted[mode] ?? `redrive it by '${mode}'`}`;
}

/** A resume at the failed step would also run other steps again, which only the option `force: true` allows. */
export class RedriveNeedsForceError extends Error {
  override readonly name = 'RedriveNeedsForceError';
  constructor(
    /** ID of the letter. */
    readonly letterId: string,
    /** Steps that would run again besides a failed activity, completed or not. */
    readonly siblings: readonly Step[],
  ) {
    super(
      `resuming '${letterId}' would also run these steps again: ${describeSteps(siblings)}; give force if they may run again, or use mode 'restart'`,
    );
  }
}

/** The run cannot be resumed; only a restart is possible. */
export class CannotResumeError extends Error {
  override readonly name = 'CannotResumeError';
  constructor(
    /** ID of the letter. */
    readonly letterId: string,
    /**
     * `gone`: Temporal no longer keeps the run, or another chain has its workflow ID. `no_step`: the run has no
     * workflow task to go back to.
     */
    readonly reason: 'gone' | 'no_step',
  ) {
    const why = {
      gone: 'Temporal no longer has its run, or another workflow has its ID',
      no_step: 'its run has no step to go back to',
    }[reason];
    super(`cannot resume '${letterId}': ${why}; use mode 'restart'`);
  }
}

/** The discard cannot be undone, or only after the workflow has ended. The field `reason` says why. */
export class CannotRestoreError extends Error {
  override readonly name = 'CannotRestoreError';
  constructor(
    /** ID of the letter. */
    readonly letterId: string,
    /**
     * `told`: the failure was sent to the step, and its workflow continues. `running`: the workflow runs again.
     * `restarted`: the firing was started again. `completed`: the firing has completed. `gone`: the firing is older
     * than the ledger keeps.
     */
    readonly reason: DiscardStands,
  ) {
    super(`cannot undo the discard of '${letterId}': ${WHY_IT_STANDS[reason]}`);
  }
}

const WHY_IT_STANDS: Record<DiscardStands, string> = {
  told: 'its step was told to fail, and its workflow continues; try again when the workflow has ended',
  running: 'its workflow runs again; a new failure gets its own letter',
  restarted: 'its firing was started again later, and that start has its own letters',
  completed: 'its firing has completed, and nothing is left to do',
  gone: 'the ledger no longer keeps its firing; trigger its schedule to do the work again',
};
