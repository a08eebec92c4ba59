import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Each mutant is tested with a 25th of the random cases of `npm test`, but with at least ten. */
const FEWER = 25;

const fewerCases = {
  name: 'fewer-cases',
  enforce: 'pre' as const,
  transform(code: string, id: string) {
    if (!/test\/core\/.*\.test\.ts$/.test(id)) return undefined;
    const fewer = (count: string) => Math.max(10, Math.ceil(Number(count.replaceAll('_', '')) / FEWER));
    return code.replace(/numRuns: (?:IN_VERIFY \? \d+ : )?([\d_]+)/g, (_, count: string) => `numRuns: ${fewer(count)}`);
  },
};

/** Files with random cases, the slowest last: most mutants are noticed before them. */
const SLOW = 'decisions freeze list-query days day-words normal-spec shared refusals budget properties'.split(' ');

function rank({ moduleId }: TestSpecification): number {
  return SLOW.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
}

class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...files].sort((one, other) => rank(one) - rank(other));
  }
}

export default defineConfig({
  plugins: [fewerCases],
  test: {
    pool: 'threads',
    isolate: false,
    testTimeout: 600_000,
    sequence: { sequencer: QuickFirst },
    setupFiles: ['test/seed.ts'],
    include: ['test/core/**/*.test.ts'],
  },
});
