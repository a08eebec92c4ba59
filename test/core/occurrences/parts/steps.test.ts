import { describe, expect, it } from 'vitest';
import { InvalidScheduleError } from '../../../../core/errors';
import {
  foundOne,
  newSteps,
  STEPS_AT_MOST,
  spend,
  stepsOf,
  withinSteps,
  withOwnSteps,
} from '../../../../core/occurrences/steps';

const REFUSED =
  'takes too long to evaluate; use fewer parts and values, or list the remaining times instead of skipping';

function refusal(work: () => unknown): InvalidScheduleError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof InvalidScheduleError) return error;
    throw error;
  }
}

describe('an evaluation', () => {
  it('may take as many steps as there are, and not one more', () => {
    const all = () => {
      spend(STEPS_AT_MOST);
      return 'done';
    };
    expect(withinSteps('spec', all)).toBe('done');
    const error = refusal(() => withinSteps('spec.skip', () => spend(STEPS_AT_MOST + 1)));
    expect(error).toMatchObject({ path: 'spec.skip', problem: REFUSED });
  });
  it('adds up its steps', () => {
    const twice = (steps: number) => withinSteps('spec', () => [spend(steps), spend(STEPS_AT_MOST - 10)]);
    expect(refusal(() => twice(10))).toBeUndefined();
    expect(refusal(() => twice(11))?.problem).toBe(REFUSED);
  });
  it('begins with a whole budget, also after one that was refused or failed', () => {
    const whole = () => withinSteps('spec', () => spend(STEPS_AT_MOST));
    whole();
    expect(refusal(() => withinSteps('spec', () => spend(STEPS_AT_MOST + 1)))).toBeDefined();
    whole();
    expect(() =>
      withinSteps('spec', () => {
        spend(10);
        throw new RangeError('of the work');
      }),
    ).toThrow(new RangeError('of the work'));
    whole();
  });
  it('that is part of another one has the budget of that one, and the path of its own', () => {
    const nested = (inner: number) =>
      withinSteps('outer', () => {
        withinSteps('inner', () => spend(inner));
        spend(STEPS_AT_MOST - 100);
      });
    expect(refusal(() => nested(100))).toBeUndefined();
    expect(refusal(() => nested(101))?.path).toBe('outer');
    expect(refusal(() => nested(STEPS_AT_MOST + 1))?.path).toBe('inner');
  });
  it('may have a whole budget of its own within another one, which keeps what it had', () => {
    const beside = (own: number, then: number) =>
      withinSteps('outer', () => {
        spend(100);
        withOwnSteps('inner', () => spend(own));
        spend(then);
      });
    expect(refusal(() => beside(STEPS_AT_MOST, STEPS_AT_MOST - 100))).toBeUndefined();
    expect(refusal(() => beside(STEPS_AT_MOST, STEPS_AT_MOST - 99))?.path).toBe('outer');
    const caught = () =>
      withinSteps('outer', () => {
        expect(refusal(() => withOwnSteps('inner', () => spend(STEPS_AT_MOST + 1)))?.path).toBe('inner');
        spend(STEPS_AT_MOST);
      });
    expect(refusal(caught)).toBeUndefined();
  });
  it('takes no steps outside of a budget', () => {
    expect(() => spend(STEPS_AT_MOST * 2)).not.toThrow();
    expect(() => foundOne()).not.toThrow();
    expect(refusal(() => withinSteps('spec', () => spend(STEPS_AT_MOST)))).toBeUndefined();
  });
});

describe('a budget that several evaluations share', () => {
  it('is left with what they did not take', () => {
    const steps = newSteps();
    expect(steps.left).toBe(STEPS_AT_MOST);
    withinSteps('spec', () => spend(100), steps);
    expect(steps.left).toBe(STEPS_AT_MOST - 100);
    withinSteps('spec', () => spend(STEPS_AT_MOST - 100), steps);
    expect(steps.left).toBe(0);
    expect(refusal(() => withinSteps('spec', () => spend(1), steps))?.problem).toBe(REFUSED);
    expect(refusal(() => withinSteps('spec', () => spend(1), newSteps()))).toBeUndefined();
  });
  it('is ignored by an evaluation that is part of another one', () => {
    const steps = newSteps();
    withinSteps('spec', () => withinSteps('spec', () => spend(100), steps));
    expect(steps.left).toBe(STEPS_AT_MOST);
  });
});

describe('an occurrence that is found', () => {
  it('gives back 2,000 steps, so that a list of occurrences may be long', () => {
    const list = (cost: number) =>
      refusal(() =>
        withinSteps('spec', () => {
          for (let n = 0; n < 1_000; n++) {
            spend(cost);
            foundOne();
          }
        }),
      );
    // 999 occurrences take 598 of the budget each, and the last one takes all of its 2,598.
    expect(list(2_598)).toBeUndefined();
    expect(list(2_599)).toBeDefined();
  });
  it('never gives more than the whole budget', () => {
    const after = (found: number) => {
      for (let n = 0; n < found; n++) foundOne();
      spend(STEPS_AT_MOST + 1);
    };
    expect(refusal(() => withinSteps('spec', () => after(3)))).toBeDefined();
  });
});

describe('the steps of some work', () => {
  it.each([0, 1, 12_345, STEPS_AT_MOST])('are counted: %d', (steps) => {
    expect(stepsOf(() => spend(steps))).toBe(steps);
  });
  it('are all of them for work that is refused', () => {
    expect(stepsOf(() => spend(STEPS_AT_MOST + 1))).toBe(STEPS_AT_MOST);
  });
  it('are less by what an occurrence gave back', () => {
    expect(stepsOf(() => [spend(5_000), foundOne()])).toBe(3_000);
  });
  it('hide no other error', () => {
    expect(() =>
      stepsOf(() => {
        throw new RangeError('of the work');
      }),
    ).toThrow('of the work');
  });
});
