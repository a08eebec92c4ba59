import type { FailedStep } from './failed-step';

/** Options that limit which failure texts are stored, in the ledger and in the memo of the next workflow. */
export interface FailureTextOptions {
  /** Whether the texts of failures are stored; if not, only their types are. @default true */
  keepFailureTexts?: boolean | undefined;
  /** Removes secrets, such as card numbers, from failure texts that no codec has encoded. @default no change */
  redact?: ((text: string) => string) | undefined;
}

export function withKeptText<Step extends FailedStep>(step: Step, options: FailureTextOptions): Step {
  const { type, message, ...encoded } = step.failure;
  if (options.keepFailureTexts === false) return { ...step, failure: { type, message: '' } };
  return { ...step, failure: { type, message: options.redact?.(message) ?? message, ...encoded } };
}
