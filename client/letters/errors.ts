import type { LetterState, RedriveRequest } from '../../core/letters/redrive';
import { describeSteps, type Step } from '../../core/letters/reset-point';
import type { DiscardStands } from '../../store/letters/restore';

/** What a person wants to do with a letter. */
export type LetterIntent = 'redrive' | 'complete' | 'discard' | 'restore';

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
  open: 'nobody has decided on it',
  redriving: "it is being redriven; wait until its chain has ended, or see 'escapement dead-letter show'",
  resolved: 'its firing has completed, and nothing is left to do',
  discarded: "it was given up; 'escapement dead-letter restore' takes that back where it still can be",
};

/** The letter's state does not allow that. */
export class DeadLetterStateError extends Error {
  override readonly name: string = 'DeadLetterStateError';
  constructor(
    /** The letter that was named. */
    readonly letterId: string,
    /** The state that it is in. */
    readonly state: LetterState,
    intent: LetterIntent,
  ) {
    super(`cannot ${intent} the dead letter '${letterId}', which is ${state}: ${DONE[state]}`);
  }
}

/** Somebody else has decided on the letter meanwhile, and otherwise. Nothing was changed. */
export class DeadLetterConflictError extends DeadLetterStateError {
  override readonly name: string = 'DeadLetterConflictError';
  constructor(
    letterId: string,
    intent: LetterIntent,
    /** What was asked for before. */
    readonly decided: {
      /** How it is tried again; or `complete`, `discard`; or `expire`, where it was parked for too long. */
      mode: RedriveRequest['mode'];
      /** Who asked for it. */
      actor: string | null;
      /** When, ISO 8601. */
      askedAt: string;
    },
  ) {
    super(letterId, 'redriving', intent);
    this.message = `cannot ${intent} the dead letter '${letterId}': ${decisionOf(decided)}; wait until that is carried out, and read it again`;
  }
}

function decisionOf({ mode, actor, askedAt }: DeadLetterConflictError['decided']): string {
  if (mode === 'expire') return `its step was parked for too long, and is told to fail since ${askedAt}`;
  const done = { complete: 'completed its step', discard: 'discarded it' } as Partial<Record<typeof mode, string>>;
  return `${actor ?? 'somebody'} ${done[mode] ?? `redrove it by '${mode}'`} at ${askedAt}`;
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

/** A discard that cannot be taken back: its failure is no longer the last word on its firing. */
export class CannotRestoreError extends Error {
  override readonly name = 'CannotRestoreError';
  constructor(
    /** The letter that was named. */
    readonly letterId: string,
    /**
     * `told`: its step was told to fail, and its workflow goes on. `running`: its workflow runs again. `restarted`: its firing
     * began again since. `completed`: its firing has completed. `gone`: its firing is older than what the ledger keeps.
     */
    readonly reason: DiscardStands,
  ) {
    super(`cannot take back the discard of '${letterId}': ${WHY_IT_STANDS[reason]}`);
  }
}

const WHY_IT_STANDS: Record<DiscardStands, string> = {
  told: 'its step was told to fail, and its workflow goes on; try again when that has ended',
  running: 'its workflow runs again; a new failure gets a letter of its own',
  restarted: 'its firing was started again since, and that start has letters of its own',
  completed: 'its firing has completed, and nothing is left to do',
  gone: 'its firing is older than what the ledger keeps; trigger its schedule to do its work once more',
};
