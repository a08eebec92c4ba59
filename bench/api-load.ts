import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Bench } from './lib/bench';
import { workflowIdAt } from './lib/calendar';
import { Child } from './lib/child';
import { Cleanup } from './lib/cleanup';
import { loadEachSecond } from './lib/fill/load';
import type { Ledger } from './lib/ledger';
import { allClosed } from './lib/measure/closed';
import { firstTaskTimes } from './lib/measure/histories';
import { percentile } from './lib/report/statistics';
import { FIRST, IN_FLIGHT, registerChanged, request, type Sent, wereAnswered } from './lib/requests';
import { provideServers } from './lib/servers';
import { settle } from './lib/settle';
import { startTrigger } from './lib/trigger-process';
import { at } from './lib/wait';

/**
 * Measures how much API requests slow down firings: `npm run build`, then `npx tsx bench/api-load.ts`. First it
 * measures how many mixed reads and writes per second the API answers on its own. Then it sends half as many requests
 * per second, while 20 firings start per second, and measures the lag of these firings. Rounds with and without
 * requests alternate. A quick check is `--seconds 5 --schedules 2 --rounds 1`. The exit code is 1 if the median p99
 * with requests is more than 1.5 times the median p99 without.
 *
 * `escapement serve` has a lower priority than triggers. On a processor that is too slow for both, the server answers
 * fewer requests than were due. `answered` has the answered share of each round. If that is less than 95 % in a round,
 * the exit code is 2.
 */
const MOST_TIMES = 1.5;
const COMMAND = join(__dirname, '..', 'dist', 'cli', 'main.js');
const LOAD = join(__dirname, 'lib', 'requests-main.ts');
const WARM_UP_SECONDS = 5;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    schedules: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '3' },
  },
});
const [seconds, schedules, rounds] = [values.seconds, values.schedules, values.rounds].map(Number) as [
  number,
  number,
  number,
];
const progress = (line: string) => console.error(line);

async function main(): Promise<void> {
  const cleanup = new Cleanup(progress);
  try {
    const environment = { databaseUrl: process.env.DATABASE_URL, temporalAddress: process.env.TEMPORAL_ADDRESS };
    const servers = await provideServers(environment as never, cleanup, progress);
    const bench = await Bench.create(servers, cleanup, progress);
    await bench.worker();
    const alone = await bench.withLedger((ledger) => withServer(bench, ledger, (url) => rateAlone(url)));
    progress(`alone the API answers ${Math.round(alone)} requests a second`);
    const [without, beside, requests]: [number[], number[], Sent[]] = [[], [], []];
    for (let round = 0; round < rounds; round++) {
      const turns = round % 2 === 0 ? [0, alone / 2] : [alone / 2, 0];
      for (const rate of turns) {
        await settle(servers, 0);
        const { lags, sent } = await firingsBeside(bench, rate);
        const p99 = percentile(lags, 0.99);
        (sent === undefined ? without : beside).push(p99);
        if (sent !== undefined) requests.push(sent);
        progress(
          `round ${round + 1} of ${rounds}, beside ${Math.round(rate)} requests a second${sent === undefined ? '' : ` (answered: ${sent.answered} of ${sent.due})`}: lag p99 ${Math.round(p99)} ms`,
        );
      }
    }
    const ratio = percentile(beside, 0.5) / percentile(without, 0.5);
    const figures = {
      requestsASecondAlone: Math.round(alone),
      firingsASecond: schedules,
      without,
      beside,
      answered: requests.map((sent) => sent.answered / sent.due),
      ratio,
    };
    console.log(JSON.stringify(figures));
    process.exitCode = !requests.every(wereAnswered) ? 2 : ratio <= MOST_TIMES ? 0 : 1;
  } finally {
    await cleanup.run();
  }
}

/** Runs `escapement serve` in another process while `work` runs. */
async function withServer<Result>(
  bench: Bench,
  ledger: Ledger,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  const { databaseUrl } = ledger;
  const args = [COMMAND, 'serve', '--port', '0', '--json'];
  const server = new Child('escapement serve', args, { DATABASE_URL: databaseUrl }, { ownSession: true });
  return bench.during(server, async () => {
    await server.says('"url"');
    return work(JSON.parse(/^\{.*\}$/m.exec(server.log())![0]).url);
  });
}

/** Measures the maximum rate of answers, with a fixed number of parallel requests. */
async function rateAlone(url: string): Promise<number> {
  await registerChanged(url);
  const end = performance.now() + Math.min(seconds, 20) * 1_000;
  const begun = performance.now();
  let answered = 0;
  const one = async (first: number) => {
    for (let index = first; performance.now() < end; index += IN_FLIGHT) {
      await request(url, index);
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, (_, first) => one(FIRST + first)));
  return answered / ((performance.now() - begun) / 1_000);
}

/** Measures the lags of firings that start each second, while requests are sent at a rate. */
async function firingsBeside(bench: Bench, rate: number): Promise<{ lags: number[]; sent: Sent | undefined }> {
  const { address, namespace } = bench.servers;
  return bench.withLedger((ledger) =>
    withServer(bench, ledger, async (url) =>
      bench.during(await startTrigger({ databaseUrl: ledger.databaseUrl, address }), async () => {
        await registerChanged(url);
        const forSeconds = seconds + WARM_UP_SECONDS;
        const { prefix, scheduleIds, from, to } = await loadEachSecond(ledger, {
          schedules,
          forSeconds,
          leadSeconds: 1,
        });
        const load =
          rate > 0 ? new Child('the requests', [LOAD, url, String(rate)], {}, { ownSession: true }) : undefined;
        await at(to);
        const sent = load && sentOf(await load.stop());
        await allClosed(ledger, prefix, schedules * forSeconds);
        const instants = Array.from({ length: seconds }, (_, second) => from + (WARM_UP_SECONDS + second) * 1_000);
        const firings = scheduleIds.flatMap((scheduleId) => instants.map((instant) => ({ scheduleId, instant })));
        const ids = firings.map(({ scheduleId, instant }) => workflowIdAt(scheduleId, instant));
        const times = await firstTaskTimes(bench.connection, namespace, ids);
        return { lags: firings.map(({ instant }, index) => times[index]! - instant), sent };
      }),
    ),
  );
}

/** @throws {Error} with the output of a process that did not end well */
function sentOf(output: string): Sent {
  const counts = /^\{.*\}$/m.exec(output)?.[0];
  if (counts === undefined) throw new Error(output);
  return JSON.parse(counts);
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 2;
});
