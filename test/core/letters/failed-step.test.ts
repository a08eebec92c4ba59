import { describe, expect, it } from 'vitest';
import { type FailedStep, isSameFailure, stepNameOf } from '../../../core/letters/failed-step';

const failure = { type: 'CardDeclined', message: 'no money' };
const childWorkflow = { workflowType: 'ship', workflowId: 'ship-1' };
const nexusOperation = { service: 'bank', operation: 'transfer' };

describe('the name of a failed step', () => {
  it.each<[string, Partial<FailedStep>, string | undefined]>([
    ['is the type of its activity', { activityType: 'chargeCard' }, 'chargeCard'],
    ['is the activity’s even if that failed in a child workflow', { activityType: 'pack', childWorkflow }, 'pack'],
    ['is the type of the child workflow if no activity failed', { childWorkflow }, 'ship'],
    ['is the child workflow’s even if a Nexus operation failed in it', { childWorkflow, nexusOperation }, 'ship'],
    ['is the operation if only a Nexus operation failed', { nexusOperation }, 'transfer'],
    ['is not there if the workflow failed by itself', {}, undefined],
  ])('%s', (_, step, name) => {
    expect(stepNameOf({ ...step, failure })).toBe(name);
  });
});

describe('two steps', () => {
  const charge: FailedStep = { runId: 'run', eventId: 5, activityType: 'chargeCard', activityId: '1', failure };

  it.each<[string, Partial<FailedStep>, Partial<FailedStep>]>([
    ['all names and numbers are equal', {}, {}],
    ['only their texts and attempts differ', { attempts: 3 }, { failure: { type: 'Other', message: '' } }],
    ['the first one has no event', { eventId: undefined }, {}],
    ['the second one has no event', {}, { eventId: undefined }],
    ['neither has an event', { eventId: undefined }, { eventId: undefined }],
    ['both came from the same child workflow', { childWorkflow }, { childWorkflow: { ...childWorkflow } }],
  ])('are the same failure if %s', (_, one, other) => {
    expect(isSameFailure({ ...charge, ...one }, { ...charge, ...other }, [])).toBe(true);
  });

  it.each<[string, Partial<FailedStep>, Partial<FailedStep>]>([
    ['they are of two runs', {}, { runId: 'next' }],
    ['they were scheduled by two events', {}, { eventId: 6 }],
    ['they are of two types', {}, { activityType: 'sendMail' }],
    ['they have two activity IDs', {}, { activityId: '2' }],
    ['only one has an activity', {}, { activityType: undefined, activityId: undefined }],
    ['only one came from a child workflow', {}, { childWorkflow }],
    [
      'they came from two child workflows',
      { childWorkflow },
      { childWorkflow: { ...childWorkflow, workflowId: 'ship-2' } },
    ],
    ['they are of two types, and one has no event', { eventId: undefined }, { activityType: 'sendMail' }],
  ])('are two failures if %s', (_, one, other) => {
    expect(isSameFailure({ ...charge, ...one }, { ...charge, ...other }, [])).toBe(false);
    expect(isSameFailure({ ...charge, ...other }, { ...charge, ...one }, [])).toBe(false);
  });

  it.each([
    ['the only run', ['reset'], true],
    ['one of the runs', ['before', 'reset', 'after'], true],
    ['none of the runs', ['before', 'after'], false],
  ])('are the same failure if a reset has carried the first into the run of the second: %s', (_, runIds, same) => {
    expect(isSameFailure(charge, { ...charge, runId: 'reset' }, runIds)).toBe(same);
  });

  it('are the same failure in their own run too if a reset has carried the first elsewhere', () => {
    expect(isSameFailure(charge, charge, ['reset'])).toBe(true);
  });

  it('are two failures in the run of a reset if their events differ', () => {
    expect(isSameFailure(charge, { ...charge, runId: 'reset', eventId: 6 }, ['reset'])).toBe(false);
  });

  it.each<[string, Partial<FailedStep>, Partial<FailedStep>]>([
    ['the first', { runId: undefined }, { runId: 'reset' }],
    ['the second', {}, { runId: undefined }],
    ['each', { runId: undefined }, { runId: undefined }],
  ])('are never the same failure if the run of %s is unknown, as in letters of older versions', (_, one, other) => {
    expect(isSameFailure({ ...charge, ...one }, { ...charge, ...other }, ['reset'])).toBe(false);
  });
});
