/** Mutation testing of core/ by its unit tests. */
export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'scripts/lib/mutation/vitest.config.mts', related: false },
  mutate: ['core/**/*.ts'],
  coverageAnalysis: 'perTest',
  concurrency: 2,
  timeoutMS: 6_000,
  timeoutFactor: 2,
  reporters: ['clear-text', 'json', 'progress-append-only'],
  clearTextReporter: { logTests: false, reportTests: false },
  jsonReporter: { fileName: '.cache/mutation.json' },
  tempDirName: '.cache/stryker',
  symlinkNodeModules: true,
  ignorePatterns: ['dist', 'site', '.cache', 'bench/results', 'chaos/results'],
  // This file must not exist. Stryker would rewrite an existing one with a compiler API that our version of TypeScript
  // no longer has.
  tsconfigFile: 'no-tsconfig.json',
};
