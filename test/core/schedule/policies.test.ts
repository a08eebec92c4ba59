import { temporal } from '@temporalio/proto';
import { expect, it } from 'vitest';
import { OVERLAP_POLICIES } from '../../../core/schedule/policies';

const { ScheduleOverlapPolicy } = temporal.api.enums.v1;

it('the overlap policies are Temporal’s, in the order of its numbers', () => {
  const names = Object.entries(ScheduleOverlapPolicy)
    .filter(([, number]) => typeof number === 'number' && number > 0)
    .sort(([, one], [, other]) => Number(one) - Number(other))
    .map(([name]) => name.replace('SCHEDULE_OVERLAP_POLICY_', ''));
  expect(OVERLAP_POLICIES).toEqual(names);
});
