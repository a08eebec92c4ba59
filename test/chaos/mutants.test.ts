import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { VIOLATIONS } from '../../chaos/check/facts';
import { isFoundBy } from '../../chaos/mutants/hunt';
import { MUTANTS, planted } from '../../chaos/mutants/mutants';
import { recordedResults } from '../../chaos/page';
import { ROOT } from '../../chaos/world/program';

it.each(MUTANTS)('the text in which mutant $name plants its fault is in the sources once', (mutant) => {
  const source = readFileSync(join(ROOT, `${mutant.file}.ts`), 'utf8');
  expect(planted(mutant, source)).toContain(mutant.to);
});

it('each kind of violation has a mutant, and each mutant a name of its own', () => {
  expect(VIOLATIONS.filter((kind) => !MUTANTS.some((mutant) => mutant.kind === kind))).toEqual([]);
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
});

it('that a run has not settled is no sign that the check of rows finds what never closed', () => {
  const mutant = MUTANTS.find(({ kind }) => kind === 'never closed')!;
  const clean = recordedResults()[0]!;
  const reported = (count: number, settledSeconds: number | null) =>
    isFoundBy({ ...clean, settledSeconds, violations: { ...clean.violations, 'never closed': count } }, mutant);
  expect([reported(1, null), reported(2, null), reported(1, 9), reported(0, 9)]).toEqual([false, true, true, false]);
  const missed = { ...clean, settledSeconds: null, violations: { ...clean.violations, missed: 1 } };
  expect(isFoundBy(missed, { ...mutant, kind: 'missed' })).toBe(true);
});

it.each([
  ['is gone', 'other code', 0],
  ['is there twice', 'one; one', 2],
])('a mutant is refused by name if its text %s', (_what, text, times) => {
  const mutant = { ...MUTANTS[0]!, from: 'one', to: 'none' };
  expect(() => planted(mutant, text)).toThrow(`mutant 'drops-claims' is refused: ${mutant.file} has its text ${times}`);
});
