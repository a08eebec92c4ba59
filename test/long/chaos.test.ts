import { basename } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { planIn } from '../../chaos/journal';
import { hunt, isFoundBy } from '../../chaos/mutants/hunt';
import { MUTANTS } from '../../chaos/mutants/mutants';
import { scenarioFiles } from '../../chaos/scenario-files';
import { expectOneAnswerEach, planOfSeed } from '../support/chaos-run';

/** Long, so that a busy machine fails no run. The recorded runs show how soon all is settled. */
const SETTLE_MILLISECONDS = 180_000;

it.each([1, 17, 36])('whatever breaks under seed %i, each occurrence has its one answer', async (seed) => {
  await expectOneAnswerEach(planOfSeed(seed, 45_000), { settleMilliseconds: SETTLE_MILLISECONDS, startedAtLeast: 100 });
});

it.each(scenarioFiles().map((file) => [basename(file, '.jsonl'), file]))(
  'what once broke a promise breaks it no more: %s',
  async (_name, file) => {
    await expectOneAnswerEach(planIn(file), { settleMilliseconds: SETTLE_MILLISECONDS, startedAtLeast: 30 });
  },
);

it.each(MUTANTS)('a program that $does is found out: $kind', async (mutant) => {
  const options = { settleMilliseconds: 20_000, onProgress: () => {} };
  const result = await hunt(mutant, options, onTestFinished);
  expect(isFoundBy(result, mutant), JSON.stringify(result.violations)).toBe(true);
});
