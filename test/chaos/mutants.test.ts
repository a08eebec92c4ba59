import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { VIOLATIONS } from '../../chaos/check/facts';
import { MUTANTS, planted } from '../../chaos/mutants/mutants';
import { ROOT } from '../../chaos/world/program';

it.each(MUTANTS)('the text in which mutant $name plants its fault is in the sources once', (mutant) => {
  const source = readFileSync(join(ROOT, `${mutant.file}.ts`), 'utf8');
  expect(planted(mutant, source)).toContain(mutant.to);
});

it('each kind of violation has a mutant, and each mutant a name of its own', () => {
  expect(VIOLATIONS.filter((kind) => !MUTANTS.some((mutant) => mutant.kind === kind))).toEqual([]);
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
});

it.each([
  ['is gone', 'other code', 0],
  ['is there twice', 'one; one', 2],
])('a mutant is refused by name if its text %s', (_what, text, times) => {
  const mutant = { ...MUTANTS[0]!, from: 'one', to: 'none' };
  expect(() => planted(mutant, text)).toThrow(`mutant 'drops-claims' is refused: ${mutant.file} has its text ${times}`);
});
