import { providePostgres, provideTestServer } from '../provision';
import { TestScheduleEnvironment, type TestScheduleEnvironmentOptions } from '../testing';

/**
 * Measures how long a year of a nightly schedule takes in the testing kit: with an in-process double, and with a real
 * workflow of three steps. Run it with `npx tsx bench/testing-kit.ts`. The exit code is 1 if the year takes 2 s with
 * the double or 40 s with the workflow, or if a firing did not complete.
 */
async function main(): Promise<void> {
  const onProgress = (line: string) => console.error(line);
  const postgres = await providePostgres({ databaseUrl: process.env.DATABASE_URL, onProgress });
  const { executablePath } = await provideTestServer({ onProgress });
  try {
    const database = postgres.databaseUrl;
    const played = await year({ database }, (env) => env.double('nightlyReport', { takes: '90 minutes' }));
    const activities = { collect: async () => 42, render: async () => 'report', send: async () => {} };
    const workflowsPath = require.resolve('../test/testing/workflows.ts');
    const real = await year({ database, workflowsPath, activities, testServerPath: executablePath });
    console.log(JSON.stringify({ played, real }));
    process.exitCode = played.seconds < 2 && real.seconds < 40 && played.completed + real.completed === 730 ? 0 : 1;
  } finally {
    await postgres.stop();
  }
}

async function year(options: TestScheduleEnvironmentOptions, setUp: (env: TestScheduleEnvironment) => void = () => {}) {
  const env = await TestScheduleEnvironment.create({ startTime: '2026-01-01T00:00:00Z', ...options });
  try {
    setUp(env);
    await env.client.create({
      scheduleId: 'nightly-report',
      spec: { cron: '0 2 * * *', timezone: 'Europe/Berlin' },
      action: { type: 'startWorkflow', workflowType: 'nightlyReport', taskQueue: env.taskQueue },
    });
    const startedAt = performance.now();
    const firings = await env.advanceTo('2027-01-01T00:00:00Z');
    const seconds = Math.round((performance.now() - startedAt) / 10) / 100;
    return { seconds, completed: firings.filter(({ outcome }) => outcome === 'completed').length };
  } finally {
    await env.teardown();
  }
}

void main();
