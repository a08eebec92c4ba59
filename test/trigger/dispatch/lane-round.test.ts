import { expect, it } from 'vitest';
import { LaneRound } from '../../../trigger/dispatch/lane-round';

const lane = (tenant: string) => ({ tenant, taskQueue: 'queue' });
const NOBODY = { tenant: '', taskQueue: '' };

/** A round, and a take of it from behind one lane to another. */
function someRound() {
  const round = new LaneRound();
  const take = (from: string, to: string, firings = 0) => {
    const page = { firings: Array(firings), after: { onTime: lane(to) }, isHeldBack: true, isCut: true };
    return round.goesOn(page as never, { onTime: lane(from), overdue: NOBODY, missed: NOBODY });
  };
  return { round, take };
}

it('takes that get nothing go on until they have come round to where the first of them began', () => {
  const { take } = someRound();
  expect([take('d', 'g'), take('g', 'z'), take('z', 'c'), take('c', 'f')]).toEqual([true, true, true, false]);
  // The next one begins another round.
  expect([take('f', 'z'), take('z', 'f')]).toEqual([true, false]);
});

it('the round begins again with a take that gets a firing, and ends with one that finds few lanes', () => {
  const { round, take } = someRound();
  expect([take('d', 'z'), take('z', 'c', 1)]).toEqual([true, false]);
  expect([take('c', 'f'), take('f', 'z'), take('z', 'd')]).toEqual([true, true, false]);
  expect(take('d', 'z')).toBe(true);
  const few = { firings: [], after: {}, isHeldBack: true, isCut: false };
  expect(round.goesOn(few, { onTime: lane('z'), overdue: NOBODY, missed: NOBODY })).toBe(false);
});

it('the round is over only if it is over in each part', () => {
  const { round } = someRound();
  const both = (onTime: [string, string], missed: [string, string]) =>
    round.goesOn(
      { firings: [], after: { onTime: lane(onTime[1]), missed: lane(missed[1]) }, isHeldBack: true, isCut: true },
      { onTime: lane(onTime[0]), overdue: NOBODY, missed: lane(missed[0]) },
    );
  expect([both(['a', 'a'], ['a', 'm']), both(['a', 'a'], ['m', 'a'])]).toEqual([true, false]);
});

it('takes of which each finds as many lanes as it looks at have looked at all', () => {
  const { take } = someRound();
  expect(take('k', 'k')).toBe(false);
});
