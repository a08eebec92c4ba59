import { loadavg } from 'node:os';
import { Client, Connection, isGrpcDeadlineError } from '@temporalio/client';
import { Command } from 'commander';
import { EscapementClient } from '../index';
import { eachOf } from '../moving/each';
import { NativeSchedules } from '../moving/native/native';
import { providePostgres, provideTemporalCluster } from '../provision';
import { createTestDatabase } from '../testing';
import { MeasuredCommit } from './lib/commit';
import { record } from './lib/record';
import { figure, ratio } from './lib/result';
import { until } from './lib/wait';

/** An import may take at most this many times as long as a bare loop with the same calls. */
const MOST_TIMES_AS_LONG = 1.3;

/**
 * Measures how long an import of native schedules takes, compared with a loop that only makes the same calls to the
 * server. After one warm-up of each, import and loop alternate, and the median of the ratios counts. Run it with
 * `npx tsx bench/import.ts --schedules 10000`. The exit code is 1 if an import takes more than 1.3 times as long as the
 * loop.
 */
async function main(): Promise<void> {
  const { schedules, rounds } = new Command()
    .option('--schedules <count>', 'native schedules', Number, 10_000)
    .option('--rounds <count>', 'rounds', Number, 3)
    .parse()
    .opts<{ schedules: number; rounds: number }>();
  const commit = await MeasuredCommit.read();
  const onProgress = (line: string) => console.error(line);
  const postgres = await providePostgres({ databaseUrl: process.env.DATABASE_URL, onProgress });
  const server = await provideTemporalCluster({ databaseUrl: postgres.databaseUrl, onProgress });
  const connection = await Connection.connect({ address: server.address });
  const from = new Client({ connection });
  const native = new NativeSchedules(from, 'default');
  try {
    await createAll(from, schedules);
    await settled(native);
    const imports: number[] = [];
    const loops: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      const loop = await timed(() => bareLoop(native));
      const own = await importAll(from, postgres.databaseUrl, schedules);
      if (round > 0) {
        loops.push(loop);
        imports.push(own);
      }
    }
    const compared = ratio('import, of the bare loop', imports, loops, { atMost: MOST_TIMES_AS_LONG });
    console.log(JSON.stringify({ schedules, imports, loops, times: compared.median }));
    await record('import', {
      commit,
      title: 'An import of native schedules, beside a bare loop of the same calls',
      size: { schedules, rounds },
      figures: [figure('import', 'time', 's', imports), figure('bare loop', 'time', 's', loops)],
      verdicts: [compared],
      notes: [
        `Temporal server ${server.version} on the Postgres of the ledger; load of the machine ${loadavg()[0]!.toFixed(1)}.`,
      ],
    });
    process.exitCode = compared.met ? 0 : 1;
  } finally {
    await connection.close();
    await server.stop();
    await postgres.stop();
  }
}

async function createAll(from: Client, schedules: number): Promise<void> {
  await eachOf(numbers(schedules), async (index) => {
    await from.schedule.create({
      scheduleId: `customer-${index}`,
      spec: { cronExpressions: [`${index % 60} 2 * * *`], timezone: 'Europe/Berlin' },
      action: { type: 'startWorkflow', workflowType: 'report', taskQueue: 'reports', args: [{ customer: index }] },
      state: { paused: true },
    });
  });
}

/**
 * While the server is still busy creating schedules, a describe call waits. So the bench waits until the server answers
 * for all schedules.
 */
async function settled(native: NativeSchedules): Promise<void> {
  const isSettled = async () => {
    try {
      await eachOf(native.ids(), async (scheduleId) => void (await native.describe(scheduleId)));
      return true;
    } catch (error) {
      if (isGrpcDeadlineError(error)) return false;
      throw error;
    }
  };
  await until('the server to answer for all schedules', isSettled, { atMostSeconds: 1_800 });
}

async function* numbers(count: number): AsyncGenerator<number> {
  for (let index = 0; index < count; index++) yield index;
}

/** Makes the calls that an import makes for each schedule: list, describe, matching times, describe. */
async function bareLoop(native: NativeSchedules): Promise<void> {
  const from = Date.now();
  await eachOf(native.ids(), async (scheduleId) => {
    await native.describe(scheduleId);
    await native.startTimes(scheduleId, from, from + 100 * 86_400_000);
    await native.describe(scheduleId);
  });
}

/** Imports all schedules into an empty ledger, which is created before the measurement. */
async function importAll(from: Client, databaseUrl: string, schedules: number): Promise<number> {
  const database = await createTestDatabase({ databaseUrl });
  const client = new EscapementClient({ connectionString: database.databaseUrl });
  try {
    return await timed(async () => {
      const result = await client.importSchedules({ from });
      const imported = result.schedules.filter(({ status }) => status === 'imported').length;
      if (imported !== schedules) throw new Error(`${imported} of ${schedules} were imported`);
    });
  } finally {
    await client.close();
    await database.drop();
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return Math.round((performance.now() - startedAt) / 10) / 100;
}

void main();
