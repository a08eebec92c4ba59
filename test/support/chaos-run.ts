import { expect, onTestFinished } from 'vitest';
import { MEMBERS } from '../../chaos/members';
import { NEMESES } from '../../chaos/nemesis';
import { type Plan, planOf } from '../../chaos/plan';
import { run } from '../../chaos/run';
import { SHIPPED } from '../../chaos/world/program';

/** What happens in a run of this seed, on some fifty schedules: faults of every kind may be drawn. */
export function planOfSeed(seed: number, milliseconds: number): Plan {
  const faults = NEMESES.map(({ name }) => name);
  return planOf({ seed, milliseconds, share: 0.3, members: MEMBERS, faults });
}

/** Carries out a plan on the program as it is shipped. Fails unless each occurrence has its one answer at the end. */
export async function expectOneAnswerEach(
  plan: Plan,
  { settleMilliseconds, startedAtLeast }: { settleMilliseconds: number; startedAtLeast: number },
): Promise<void> {
  const options = { plan, program: SHIPPED, settleMilliseconds, onProgress: () => {} };
  const { result } = await run(options, onTestFinished);
  expect(result.examples).toEqual([]);
  expect(result.settledSeconds).not.toBeNull();
  expect(result.started).toBeGreaterThan(startedAtLeast);
}
