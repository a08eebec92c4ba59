import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    pool: 'forks',
    // One more than the two cores, since tests often wait for servers.
    maxWorkers: 3,
    // Ends a test that hangs. Projects with longer tests have their own limit.
    testTimeout: 600_000,
    // Ends a hook that hangs.
    hookTimeout: 180_000,
    setupFiles: ['test/seed.ts'],
    // On a busy machine, a server may take long to answer.
    expect: { poll: { timeout: 120_000 } },
    projects: [
      // These tests need no server, so no `globalSetup` starts one.
      {
        extends: true,
        test: {
          name: 'unit',
          isolate: false,
          include: [
            'test/{core,chaos}/**/*.test.ts',
            'test/moving/{dialects,audit,export,cut-over,roll-back,native}/**/*.test.ts',
            'test/server/dashboard/**/*.test.ts',
          ],
        },
      },
      // These tests start their own servers, and may have to build one first.
      { extends: true, test: { name: 'provision', include: ['test/provision/**/*.test.ts'], testTimeout: 900_000 } },
      {
        extends: true,
        test: {
          name: 'integration',
          // Test files share processes, so that the SDK is not loaded again for each file.
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [
            'test/{core,chaos}/**',
            'test/moving/{dialects,audit,export,cut-over,roll-back,native}/**',
            'test/server/dashboard/**',
            'test/provision/**',
            'test/chaos-runs/**',
            'test/long/**',
          ],
          globalSetup: ['test/global-setup.ts'],
        },
      },
      // The run starts its own servers and processes, and breaks them. So it comes last, by itself.
      {
        extends: true,
        test: {
          name: 'chaos',
          include: ['test/chaos-runs/**/*.test.ts'],
          globalSetup: ['test/built.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          testTimeout: 900_000,
        },
      },
      // Long scenes, which `npm run verify` runs and `npm test` does not. One may have to build a server first. On a slow
      // and busy machine, one took over half an hour.
      {
        extends: true,
        test: {
          name: 'long',
          include: ['test/long/**/*.test.ts'],
          globalSetup: ['test/global-setup.ts'],
          testTimeout: 3_600_000,
          hookTimeout: 900_000,
        },
      },
    ],
  },
});
