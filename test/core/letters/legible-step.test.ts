import { describe, expect, it } from 'vitest';
import { legibleStep } from '../../../core/letters/legible-step';

const step = {
  runId: 'r',
  eventId: 11,
  activityType: 'charge',
  childWorkflow: { workflowType: 'child', workflowId: 'c' },
  nexusOperation: { service: 's', operation: 'o' },
  failure: { type: 'CardDeclined', message: 'no money', encoded: 'CgA=' },
};
const read = (stored: unknown) => legibleStep(stored as typeof step | null);

describe('a stored step', () => {
  it('stays as it is, with fields that a newer program may have added', () => {
    expect(read({ ...step, colour: 'red' })).toStrictEqual({ ...step, colour: 'red' });
  });

  it.each([[null], [7], ['charge'], [[]]])('that is %j counts as not known', (stored) => {
    expect(read(stored)).toBeNull();
  });

  it.each([
    ['runId', 7],
    ['eventId', '11'],
    ['eventId', 1.5],
    ['activityType', { of: 'newer' }],
    ['childWorkflow', 'child'],
    ['childWorkflow', { workflowType: 'child' }],
    ['nexusOperation', null],
  ])('loses its %s that is %j', (field, value) => {
    expect(Object.keys(read({ ...step, [field]: value })!)).toEqual(Object.keys(step).filter((name) => name !== field));
  });

  it.each([[undefined], [null], [7], [{ type: 'CardDeclined' }], [{ type: 7, message: '' }]])(
    'says so if its failure is %j',
    (failure) => {
      expect(read({ ...step, failure })!.failure).toStrictEqual({
        type: 'unknown',
        message: 'the failure that is stored with the letter cannot be read',
      });
    },
  );

  it('loses an encoded text of its failure that is no text', () => {
    expect(read({ ...step, failure: { ...step.failure, encoded: 7 } })!.failure).toStrictEqual({
      type: 'CardDeclined',
      message: 'no money',
    });
  });
});
