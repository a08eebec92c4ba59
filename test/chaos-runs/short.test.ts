import { expect, it } from 'vitest';
import { NoWayFoundError } from '../../provision';
import { expectOneAnswerEach, planOfSeed } from '../support/chaos-run';

/** These two draw most kinds of faults in a short time, and what takes long to recover from comes early. */
const SEEDS = [297, 3471];
const MILLISECONDS = 20_000;

it('the short runs of npm test have at least ten kinds of faults', () => {
  const faults = SEEDS.flatMap((seed) => planOfSeed(seed, MILLISECONDS).faults);
  expect(new Set(faults.map(({ name }) => name)).size).toBeGreaterThanOrEqual(10);
});

it.for(SEEDS)(
  'whatever breaks in a short run of seed %i, each occurrence has its one answer',
  async (seed, { skip }) => {
    // The limit is long, so that a slow machine does not fail the run.
    const limits = { settleMilliseconds: 180_000, startedAtLeast: 50 };
    await expectOneAnswerEach(planOfSeed(seed, MILLISECONDS), limits).catch((error) => {
      // Without Go, other tests use the server of Temporal's command, which no fault can break.
      if (error instanceof NoWayFoundError) skip(error.message);
      throw error;
    });
  },
);
