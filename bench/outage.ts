import { Command } from 'commander';
import { EscapementClient } from '../index';
import { providePostgres, provideTemporal } from '../provision';
import { createTestDatabase } from '../testing';
import { pinoLogger, Trigger } from '../trigger';

const YEAR_MILLISECONDS = 365 * 24 * 60 * 60 * 1_000;
const BAR_MILLISECONDS = 1_000;

/**
 * Measures the cost of a claim after a year's outage of a schedule that fires each second, compared with a claim that
 * is on time. Run it with `npx tsx bench/outage.ts --repeat 5`.
 */
async function main(): Promise<void> {
  const { repeat } = new Command()
    .option('--repeat <count>', 'outages to claim', Number, 5)
    .parse()
    .opts<{ repeat: number }>();
  const onProgress = (line: string) => console.error(line);
  const postgres = await providePostgres({ databaseUrl: process.env.DATABASE_URL, onProgress });
  const temporal = await provideTemporal({ address: process.env.TEMPORAL_ADDRESS, onProgress });
  const database = await createTestDatabase({ databaseUrl: postgres.databaseUrl });
  try {
    const results = await claimOutages(database.databaseUrl, temporal.address, repeat);
    console.log(JSON.stringify(results));
    process.exitCode = results.afterYearMilliseconds <= BAR_MILLISECONDS ? 0 : 1;
  } finally {
    await database.drop();
    await temporal.stop();
    await postgres.stop();
  }
}

async function claimOutages(connectionString: string, address: string, repeat: number) {
  const clock = { instant: Date.UTC(2026, 0, 1), now: () => clock.instant };
  const client = new EscapementClient({ connectionString, now: () => new Date(clock.instant) });
  const trigger = await Trigger.createTuned({
    connectionString,
    connection: { address },
    clock,
    logger: pinoLogger('error'),
  });
  const timed = async (away: number) => {
    const { scheduleId } = await client.create({
      scheduleId: `each-second-${clock.instant}`,
      spec: { cron: '* * * * * *' },
      action: { type: 'startWorkflow', workflowType: 'never', taskQueue: 'outage' },
      policies: { overlap: 'ALLOW_ALL' },
    });
    clock.instant += away;
    const startedAt = performance.now();
    const { claimed, gaps } = await trigger.passes.claim();
    const milliseconds = Math.round(performance.now() - startedAt);
    await client.getHandle(scheduleId).delete();
    await trigger.passes.claim();
    return { milliseconds, claimed: claimed.length, gap: gaps[0]?.count ?? 0 };
  };
  await timed(1_000);
  const onTime = [];
  const afterYear = [];
  for (let round = 0; round < repeat; round++) {
    onTime.push(await timed(1_000));
    afterYear.push(await timed(YEAR_MILLISECONDS));
  }
  await trigger.close();
  await client.close();
  const { claimed, gap } = afterYear[0]!;
  return {
    repeat,
    onTimeMilliseconds: median(onTime.map((one) => one.milliseconds)),
    afterYearMilliseconds: median(afterYear.map((one) => one.milliseconds)),
    claimed,
    gap,
  };
}

function median(values: number[]): number {
  return values.sort((one, other) => one - other)[Math.floor(values.length / 2)]!;
}

void main();
