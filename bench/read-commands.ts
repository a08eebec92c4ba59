import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { openStore } from '../store/connection';
import { countGaps, countMonths, GAPS_AT_ONCE } from '../store/firings/counts';
import { fill } from '../test/support/dashboard/filled-ledger';
import { benchLedger } from './lib/bench-ledger';

/**
 * Measures how much longer each reading command takes than `--version`, with 100,000 schedules and 1,000,000 firings.
 * To run it, build the package, then run `npx tsx bench/read-commands.ts`. The result of each command is the median of
 * five runs. The exit code is 1 if a command takes more than 0.3 s longer.
 */
const SCHEDULES = 100_000;
const RUNS = 5;
const AT_MOST_MILLISECONDS = 300;
const MAIN = resolve(__dirname, '../dist/cli/main.js');
const COMMANDS = [
  'schedule list --limit 50',
  'schedule list --limit 50 --order-by nextFireAt',
  'schedule describe s500',
  'schedule versions s500',
  'firing list',
  'firing list s500',
  'firing list --outcome failed',
  'explain s500 2026-02-01T00:08:20Z',
  'stats',
  'stats s500',
  'dead-letter list',
  'dead-letter groups',
  'alert list',
  'alert silences',
  'source list',
  'tenant list',
  'trigger list',
  'db settings',
  'top --once',
];

async function main(): Promise<void> {
  await benchLedger(async ({ client, pool, connectionString }) => {
    const store = openStore({ pool });
    await fill({ client, query: async (text: string) => (await pool.query(text)).rows } as never, SCHEDULES);
    // This is the state after the monthly sweeps; the last month is still open.
    await countMonths(store, Date.UTC(2026, 2, 5));
    while ((await countGaps(store, new Date('2026-03-01Z'))) === GAPS_AT_ONCE);
    const base = await medianOf(['--version'], connectionString);
    const beyond = new Map<string, number>();
    for (const command of COMMANDS) {
      beyond.set(command, Math.round((await medianOf(command.split(' '), connectionString)) - base));
    }
    console.log(JSON.stringify({ versionMilliseconds: Math.round(base), beyond: Object.fromEntries(beyond) }, null, 2));
    process.exitCode = Math.max(...beyond.values()) <= AT_MOST_MILLISECONDS ? 0 : 1;
  });
}

async function medianOf(args: string[], databaseUrl: string): Promise<number> {
  const taken: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const begun = performance.now();
    await promisify(execFile)(process.execPath, [MAIN, ...args], {
      env: { ...process.env, DATABASE_URL: databaseUrl },
      maxBuffer: 64 * 1024 * 1024,
    });
    taken.push(performance.now() - begun);
  }
  return taken.sort((one, other) => one - other)[Math.floor(RUNS / 2)]!;
}

main().then(
  () => process.exit(),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
