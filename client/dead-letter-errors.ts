import type { LetterState, RedriveMode } from '../core/redrive';
import { describeSteps, type Step } from '../core/reset-point';

/** There is no such dead letter. */
export class DeadLetterNotFoundError extends Error {
  override readonly name = 'DeadLetterNotFoundError';
  constructor(
    /** The letter that was named. */
    readonly letterId: string,
  ) {
    super(`there is no dead letter '${letterId}'; 'escapement dead-letter list' shows those that are`);
  }
}

const DONE: Record<LetterState, string> = {
  open: 'it is open',
  redriving: "it is being redriven; wait until its chain has ended, or see 'escapement dead-letter show'",
  resolved: 'its firing has completed, and nothing is left to do',
  discarded: 'it was given up for good; to run its work once more, trigger its schedule',
};

/** The letter's state does not allow that. */
export class DeadLetterStateError extends Error {
  override readonly name: string = 'DeadLetterStateError';
  constructor(
    /** The letter that was named. */
    readonly letterId: string,
    /** The state that it is in. */
    readonly state: LetterState,
    intent: 'redrive' | 'discard',
  ) {
    super(`cannot ${intent} the dead letter '${letterId}', which is ${state}: ${DONE[state]}`);
  }
}

/** Somebody else has decided on the letter meanwhile, and otherwise. Nothing was changed. */
export class DeadLetterConflictError extends DeadLetterStateError {
  override readonly name: string = 'DeadLetterConflictError';
  constructor(
    letterId: string,
    intent: 'redrive' | 'discard',
    /** What was asked for before. */
    readonly decided: {
      /** How it is tried again, or `discard`. */
      mode: RedriveMode | 'discard';
      /** Who asked for it. */
      actor: string | null;
      /** When, ISO 8601. */
      askedAt: string;
    },
  ) {
    super(letterId, 'redriving', intent);
    const { mode, actor, askedAt } = decided;
    const what = mode === 'discard' ? 'discarded' : `redrove by '${mode}'`;
    this.message = `cannot ${intent} the dead letter '${letterId}': ${actor ?? 'somebody'} ${what} it at ${askedAt}; wait until that is carried out, and look at it again`;
  }
}

/** Going back to the failed step would run others again, which only `force: true` allows. */
export class RedriveNeedsForceError extends Error {
  override readonly name = 'RedriveNeedsForceError';
  constructor(
    /** The letter that was named. */
    readonly letterId: string,
    /** What would run again, whether it had completed or not. */
    readonly siblings: readonly Step[],
  ) {
    super(
      `resuming '${letterId}' would run again: ${describeSteps(siblings)}; give force if they may, or use mode 'restart'`,
    );
  }
}

/** Its run cannot be taken up again; only a restart is left. */
export class CannotResumeError extends Error {
  override readonly name = 'CannotResumeError';
  constructor(
    /** The letter that was named. */
    readonly letterId: string,
    /** `gone`: older than what Temporal keeps. `no_step`: it has no workflow task to go back to. */
    readonly reason: 'gone' | 'no_step',
  ) {
    const why = { gone: 'Temporal no longer has its run', no_step: 'its run has no step to go back to' }[reason];
    super(`cannot resume '${letterId}': ${why}; use mode 'restart'`);
  }
}
