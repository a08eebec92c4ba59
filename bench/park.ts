import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { Command } from 'commander';
import { EscapementPlugin } from '../plugin';
import { providePostgres, provideTemporal } from '../provision';

const LOGGER = new DefaultLogger('ERROR');

/**
 * Measures the cost of `park` for a job of five steps that all succeed: time and history events, with and without the
 * plugin, in alternation. The jobs have a memo that marks them as firings. Run it with
 * `npx tsx bench/park.ts --jobs 200 --rounds 5`.
 */
async function main(): Promise<void> {
  const options = new Command()
    .option('--jobs <count>', 'jobs of a round', Number, 200)
    .option('--rounds <count>', 'rounds of each kind', Number, 5)
    .parse()
    .opts<{ jobs: number; rounds: number }>();
  Runtime.install({ logger: LOGGER });
  const onProgress = (line: string) => console.error(line);
  const postgres = await providePostgres({ databaseUrl: process.env.DATABASE_URL, onProgress });
  const temporal = await provideTemporal({ address: process.env.TEMPORAL_ADDRESS, onProgress });
  const native = await NativeConnection.connect({ address: temporal.address });
  const client = new Client({ connection: await Connection.connect({ address: temporal.address }) });
  try {
    const plugin = new EscapementPlugin({ connectionString: postgres.databaseUrl, park: 'all' });
    const kinds = { without: [], with: [plugin] };
    const milliseconds: Record<string, number[]> = { without: [], with: [] };
    const events: Record<string, number> = {};
    // The first round only warms up.
    for (let round = 0; round <= options.rounds; round++) {
      for (const [kind, plugins] of Object.entries(kinds)) {
        const taken = await work(native, client, plugins, options.jobs);
        if (round > 0) milliseconds[kind]!.push(taken.milliseconds);
        events[kind] = taken.events;
      }
    }
    const [without, withPlugin] = [median(milliseconds.without!), median(milliseconds.with!)];
    const overheadPercent = Math.round((withPlugin / without - 1) * 1_000) / 10;
    console.log(
      JSON.stringify({ ...options, milliseconds, events, medians: { without, withPlugin }, overheadPercent }, null, 2),
    );
  } finally {
    await client.connection.close();
    await native.close();
    await temporal.stop();
    await postgres.stop();
  }
}

async function work(connection: NativeConnection, client: Client, plugins: EscapementPlugin[], jobs: number) {
  const taskQueue = `bench-park-${process.pid}-${performance.now()}`;
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: require.resolve('./park-workflows.ts'),
    plugins,
    logger: LOGGER,
  });
  const step = async (number: number) => number;
  const worker = await Worker.create({ connection, taskQueue, workflowBundle, activities: { step }, plugins });
  return worker.runUntil(async () => {
    const begun = performance.now();
    const handles = await Promise.all(
      Array.from({ length: jobs }, (_, job) =>
        client.workflow.start('fiveSteps', {
          taskQueue,
          workflowId: `${taskQueue}-${job}`,
          memo: { escapement: { scheduleId: 'bench' } },
        }),
      ),
    );
    await Promise.all(handles.map((handle) => handle.result()));
    const milliseconds = Math.round(performance.now() - begun);
    const { events } = await handles[0]!.fetchHistory();
    return { milliseconds, events: events!.length };
  });
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

void main();
