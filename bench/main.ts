import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type SceneReport, section, writeTables } from './lib/report/report';
import { runScenes } from './run';
import { SCENES } from './scenes';

const RESULTS = join(__dirname, 'results');
const README = join(__dirname, 'README.md');

async function main(): Promise<void> {
  const options = new Command('npm run bench --')
    .description('Measure Escapement beside its rivals, on real servers that are started for it.')
    .addOption(
      new Option('--scene <name>', 'only this one; may be repeated (default: all)')
        .choices(SCENES.map(({ name }) => name))
        .argParser(collect),
    )
    .option(
      '--quick',
      'small sizes, to see that it runs: the figures mean nothing, and bench/results is left alone',
      false,
    )
    .option('--out <folder>', 'where reports and plots go instead of bench/results, whose table is then left alone')
    .addOption(
      new Option(
        '--size <json>',
        'fields of the sizes to change, such as \'{"rounds":1}\'; bench/results is then left alone',
      ).argParser(parseSize),
    )
    .option('--history-shards <count>', 'of the Temporal server that is started (default: 4)', Number)
    .option('--json', 'write the reports as JSON to standard output', false)
    .addHelpText(
      'after',
      `
Scenes:
${SCENES.map(({ name, title }) => `  ${name.padEnd(14)} ${title}`).join('\n')}

Environment:
  DATABASE_URL      a Postgres to use instead of one of the bench's own; it makes and drops databases there
  TEMPORAL_ADDRESS  host:port of a Temporal server to use, if it answers; server CPU is then not measured,
                    and the cap of native Schedules stays`,
    )
    .parse()
    .opts<{
      scene?: string[];
      quick: boolean;
      size?: Record<string, unknown>;
      out?: string;
      historyShards?: number;
      json: boolean;
    }>();
  const scenes = SCENES.filter(({ name }) => options.scene?.includes(name) ?? true);
  const out = options.out ?? (options.quick || options.size ? undefined : RESULTS);
  const reports = await runScenes({
    ...{ scenes, out, quick: options.quick, changes: options.size },
    databaseUrl: process.env.DATABASE_URL,
    temporalAddress: process.env.TEMPORAL_ADDRESS,
    historyShards: options.historyShards,
    onProgress: (line) => console.error(`${new Date().toISOString().slice(11, 19)} ${line}`),
    stop: stopSignal(),
    onReport: async () => {
      if (out === RESULTS) await writeTables(README, RESULTS, SCENES);
    },
  });
  console.log(
    options.json ? JSON.stringify(reports, null, 2) : reports.map((report) => section(report, 'results')).join('\n\n'),
  );
  process.exitCode = reports.every(allHold) ? 0 : 1;
}

function collect(name: string, names: string[] = []): string[] {
  if (!SCENES.some((scene) => scene.name === name)) {
    throw new InvalidArgumentError(`There are ${SCENES.map((scene) => scene.name).join(', ')}.`);
  }
  return [...names, name];
}

function parseSize(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // The message of the error below says what to give instead.
  }
  throw new InvalidArgumentError('Give an object as JSON.');
}

/** Whether all checks for correctness hold. Limits are not part of this, since they depend on the machine. */
function allHold(report: SceneReport): boolean {
  return report.checks.every(({ ok }) => ok);
}

function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)));
  }
  return stop.signal;
}

main().then(
  // By now everything was stopped. The process exits explicitly, in case a handle is still open.
  () => process.exit(),
  (error) => {
    console.error(`bench: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  },
);
