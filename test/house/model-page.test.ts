import { expect, it } from 'vitest';
// @ts-expect-error: a script has no types
import { SCENARIOS, WITHOUT } from '../../model/scenarios.mjs';
import { NEEDED, resultOf, SEARCHED } from '../support/pages/model-page';

it('docs/model.md names each scenario and each guard, with what is violated without it', () => {
  expect(SEARCHED.map((row) => row.replace(/\d+$/, ''))).toEqual(
    Object.keys(SCENARIOS).map((scenario) => resultOf(scenario, '')),
  );
  const guards = Object.entries<{ invariants: string[] }>(WITHOUT);
  expect(NEEDED).toEqual(guards.map(([guard, { invariants }]) => resultOf(guard, invariants.join())));
});
