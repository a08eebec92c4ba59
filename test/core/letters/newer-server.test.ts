import { expect, it } from 'vitest';
import { failedStepOf } from '../../../temporal/close-failure';

type Failure = NonNullable<
  NonNullable<Parameters<typeof failedStepOf>[0][number]['workflowExecutionFailedEventAttributes']>['failure']
>;

const stepOf = (failure: Failure) => failedStepOf([{ workflowExecutionFailedEventAttributes: { failure } }], 'run');

it('a failure is read although only a newer server knows its retry state and the kind of its timeout', () => {
  const activityFailureInfo = { activityType: { name: 'chargeCard' }, retryState: 99 };
  const cause = { message: 'too slow', timeoutFailureInfo: { timeoutType: 99 } };
  expect(stepOf({ activityFailureInfo, cause })).toMatchObject({
    ...{ activityType: 'chargeCard', retryState: '99' },
    failure: { type: '99', message: 'too slow' },
  });
});
