import { EscapementClient, type ScheduleOptions } from '../index';
import { providePostgres } from '../provision';
import { createTestDatabase } from '../testing';

const SCHEDULES = 10_000;

/**
 * Measures how long `client.apply` takes for 10,000 new, 10,000 unchanged and 10,000 changed schedules. Run it with
 * `npx tsx bench/apply.ts`. The exit code is 1 if new schedules take 10 s, if unchanged ones take 2 s, or if a result
 * is wrong.
 */
async function main(): Promise<void> {
  const postgres = await providePostgres({
    databaseUrl: process.env.DATABASE_URL,
    onProgress: (line) => console.error(line),
  });
  const database = await createTestDatabase({ databaseUrl: postgres.databaseUrl });
  const client = new EscapementClient({ connectionString: database.databaseUrl });
  try {
    const created = await timed(client, 1, '02');
    const unchanged = await timed(client, 2, '02');
    const updated = await timed(client, 3, '03');
    console.log(JSON.stringify({ schedules: SCHEDULES, created, unchanged, updated }));
    const whole = created.created === SCHEDULES && unchanged.unchanged === SCHEDULES && updated.updated === SCHEDULES;
    process.exitCode = whole && created.seconds < 10 && unchanged.seconds < 2 ? 0 : 1;
  } finally {
    await client.close();
    await database.drop();
    await postgres.stop();
  }
}

async function timed(client: EscapementClient, revision: number, hour: string) {
  const list = Array.from({ length: SCHEDULES }, (_, index) => scheduleOf(index, hour));
  const startedAt = performance.now();
  const result = await client.apply(list, { source: 'bench', revision, prune: true });
  const seconds = Math.round((performance.now() - startedAt) / 10) / 100;
  const { created, updated, unchanged } = result;
  return { seconds, created: created.length, updated: updated.length, unchanged: unchanged.length };
}

function scheduleOf(index: number, hour: string): ScheduleOptions {
  return {
    scheduleId: `customer-${index}`,
    spec: { cron: `${index % 60} ${hour} * * *`, timezone: 'Europe/Berlin' },
    action: {
      type: 'startWorkflow',
      workflowType: 'nightlyReport',
      taskQueue: 'reports',
      args: [{ customer: index, regions: ['emea', 'apac'] }],
    },
    policies: { overlap: 'BUFFER_ONE', catchupWindow: '1 day' },
  };
}

void main();
