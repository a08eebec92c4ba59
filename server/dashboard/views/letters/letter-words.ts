import type { LetterAnswer } from '../../api/types';

/** The text for the step of a letter without one. */
export const NO_STEP = 'the workflow itself';

export function stepOf({ failedStep }: Pick<LetterAnswer, 'failedStep'>): string | undefined {
  if (!failedStep) return undefined;
  const { activityType, childWorkflow, nexusOperation } = failedStep;
  return activityType ?? childWorkflow?.workflowType ?? nexusOperation?.operation;
}

export function failureOf({ failedStep, reason }: Pick<LetterAnswer, 'failedStep' | 'reason'>): string {
  return failedStep?.failure?.type ?? reason.replaceAll('_', ' ');
}

export const MODES: Record<string, string> = {
  resume: 'keeps earlier results, and continues at the failed step',
  restart: 'runs from its beginning, as a new workflow for the same nominal time',
  continue: 'keeps its workflow running, and tries the parked step once more',
};
