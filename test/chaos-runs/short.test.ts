import { expect, it } from 'vitest';
import { expectOneAnswerEach, planOfSeed } from '../support/chaos-run';

/** These two draw most kinds of faults in a short time, and what takes long to recover from comes early. */
const SEEDS = [297, 3471];
const MILLISECONDS = 20_000;

it('the short runs of npm test have at least ten kinds of faults', () => {
  const faults = SEEDS.flatMap((seed) => planOfSeed(seed, MILLISECONDS).faults);
  expect(new Set(faults.map(({ name }) => name)).size).toBeGreaterThanOrEqual(10);
});

it.each(SEEDS)('whatever breaks in a short run of seed %i, each occurrence has its one answer', async (seed) => {
  // The limit is long, so that a slow machine does not fail the run.
  await expectOneAnswerEach(planOfSeed(seed, MILLISECONDS), { settleMilliseconds: 180_000, startedAtLeast: 50 });
});
