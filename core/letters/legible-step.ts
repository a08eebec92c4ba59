import { isRecord } from '../definition/stored-definition';
import type { FailedStep } from './failed-step';

const UNREADABLE = { type: 'unknown', message: 'the failure that is stored with the letter cannot be read' };

const TEXTS = [
  ...['runId', 'activityType', 'activityId', 'firstActivityId', 'retryState', 'originalRunId'],
  ...['waitsIn', 'decided', 'failedAt'],
];
const NUMBERS = ['eventId', 'attempts', 'burial'];

/**
 * The stored step, without fields that do not have the form of their type, as a newer or a damaged program may have
 * written them. An unreadable failure gets a stand-in. Null if the step is no object. One unreadable letter must not
 * keep a list from showing the others.
 */
export function legibleStep<Step extends FailedStep>(stored: Step | null): Step | null {
  if (!isRecord(stored)) return null;
  const step: Record<string, unknown> = { ...stored };
  const keep = (fields: string[], is: (value: unknown) => boolean) => {
    for (const field of fields) if (field in step && !is(step[field])) delete step[field];
  };
  keep(TEXTS, isText);
  keep(NUMBERS, Number.isInteger);
  keep(['childWorkflow'], hasTexts('workflowType', 'workflowId'));
  keep(['nexusOperation'], hasTexts('service', 'operation'));
  const { failure } = step;
  if (!hasTexts('type', 'message')(failure)) step.failure = UNREADABLE;
  else if (isRecord(failure) && 'encoded' in failure && !isText(failure.encoded)) {
    const { encoded: _, ...plain } = failure;
    step.failure = plain;
  }
  return step as unknown as Step;
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function hasTexts(...fields: string[]) {
  return (value: unknown) => isRecord(value) && fields.every((field) => isText(value[field]));
}
