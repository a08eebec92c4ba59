import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    pool: 'forks',
    // Tests wait for servers and clocks for some half of their time: three keep two cores busy.
    maxWorkers: 3,
    // Bounds of what hangs, far beyond what anything takes on a machine that is five times as slow.
    testTimeout: 600_000,
    // A hook does less: no test waits for minutes behind a connection that nobody gave back.
    hookTimeout: 180_000,
    setupFiles: ['test/seed.ts'],
    // Servers on a busy machine: a connection that was cut comes back after seconds.
    expect: { poll: { timeout: 120_000 } },
    projects: [
      // Pure: needs no server, so selecting only these starts none.
      {
        extends: true,
        test: {
          name: 'unit',
          isolate: false,
          include: [
            'test/{core,chaos}/**/*.test.ts',
            'test/moving/{dialects,audit,export,cut-over,roll-back}/**/*.test.ts',
          ],
        },
      },
      // Provides its own servers: that is what it tests. It may have to build one first.
      { extends: true, test: { name: 'provision', include: ['test/provision/**/*.test.ts'], testTimeout: 900_000 } },
      {
        extends: true,
        test: {
          name: 'integration',
          // Files follow each other in one process: to load the SDK again costs more than a second of CPU.
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [
            'test/{core,chaos}/**',
            'test/moving/{dialects,audit,export,cut-over,roll-back}/**',
            'test/provision/**',
            'test/long/**',
          ],
          globalSetup: ['test/global-setup.ts'],
        },
      },
      // Long scenes: `npm run verify` runs them, `npm test` does not. One may have to build a server first.
      {
        extends: true,
        test: {
          name: 'long',
          include: ['test/long/**/*.test.ts'],
          globalSetup: ['test/global-setup.ts'],
          testTimeout: 900_000,
          hookTimeout: 900_000,
        },
      },
    ],
  },
});
