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
  // No file has this name: Stryker would rewrite the configuration by an interface that this compiler no longer has.
  tsconfigFile: 'no-tsconfig.json',
};
