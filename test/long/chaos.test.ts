import { expect, it, onTestFinished } from 'vitest';
import { MEMBERS } from '../../chaos/members';
import { hunt } from '../../chaos/mutants/hunt';
import { MUTANTS } from '../../chaos/mutants/mutants';
import { NEMESES } from '../../chaos/nemesis';
import { planOf } from '../../chaos/plan';
import { run } from '../../chaos/run';
import { SHIPPED } from '../../chaos/world/program';

it.each([1, 17, 36])('whatever breaks under seed %i, each occurrence has its one answer', async (seed) => {
  const faults = NEMESES.map(({ name }) => name);
  const plan = planOf({ seed, milliseconds: 45_000, share: 0.3, members: MEMBERS, faults });
  const options = { plan, program: SHIPPED, settleMilliseconds: 60_000, onProgress: () => {} };
  const { result } = await run(options, onTestFinished);
  expect(result.examples).toEqual([]);
  expect(result.settledSeconds).not.toBeNull();
  expect(result.started).toBeGreaterThan(100);
});

it.each(MUTANTS)('a program that $does is found out: $kind', async (mutant) => {
  const options = { settleMilliseconds: 20_000, onProgress: () => {} };
  const { violations } = await hunt(mutant, options, onTestFinished);
  expect(violations[mutant.kind]).toBeGreaterThan(0);
});
