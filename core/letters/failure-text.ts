import type { FailedStep } from './failed-step';

/** What of a failure's text may be written down, in the ledger and in the memo of the next workflow. */
export interface FailureTextOptions {
  /** Whether the texts of failures are kept; without them a letter names the type alone. @default true */
  keepFailureTexts?: boolean | undefined;
  /** Takes out of a failure's text what must not be kept, such as a card's number. @default keeps it as it is */
  redact?: ((text: string) => string) | undefined;
}

/** The step with no more of its failure's text than may be kept. */
export function withKeptText<Step extends FailedStep>(step: Step, options: FailureTextOptions): Step {
  const { type, message, ...encoded } = step.failure;
  if (options.keepFailureTexts === false) return { ...step, failure: { type, message: '' } };
  return { ...step, failure: { type, message: options.redact?.(message) ?? message, ...encoded } };
}
