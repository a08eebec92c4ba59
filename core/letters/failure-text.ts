import { storableText } from '../storable';
import { type FailedStep, LONGEST_FAILURE_MESSAGE } from './failed-step';

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
  // Cut only now, so that `redact` never meets half a secret.
  const text = redacted(message, options).slice(0, LONGEST_FAILURE_MESSAGE);
  return { ...step, failure: { type, message: storableText(text), ...encoded } };
}

/** A `redact` that throws or returns no text must not let the message through, nor stop the caller's other work. */
function redacted(message: string, { redact }: FailureTextOptions): string {
  if (!redact) return message;
  try {
    const text: unknown = redact(message);
    return typeof text === 'string' ? text : '';
  } catch {
    return '';
  }
}
