import { Command } from 'commander';
import { match, NativeRuns, type Shadow } from '../moving/compare/match';
import { MeasuredCommit } from './lib/commit';
import { record } from './lib/record';
import { figure, verdict } from './lib/result';

const MOST_SECONDS = 60;

/**
 * Measures how long a comparison of 1,000,000 occurrences takes. The simulated visibility lists the runs unordered, and
 * a tenth of the occurrences was skipped because another run was open. Run it with `npx tsx bench/compare.ts`. The exit
 * code is 1 if the comparison takes a minute, or if the numbers of verdicts are wrong.
 */
async function main(): Promise<void> {
  const { occurrences } = new Command()
    .option('--occurrences <count>', 'occurrences of one schedule', Number, 1_000_000)
    .parse()
    .opts<{ occurrences: number }>();
  const commit = await MeasuredCommit.read();
  const startedAt = performance.now();
  const runs = new NativeRuns();
  // Large steps give an unordered list. 7,919 is a prime, so each index is visited once unless the count is its
  // multiple.
  for (let index = 0, place = 0; index < occurrences; index++, place = (place + 7_919) % occurrences) {
    if (isLeftOut(place)) continue;
    const nominal = place * 1_000;
    const lasts = isLeftOut(place + 1) ? 1_500 : 300;
    runs.add({ workflowId: `w-${place}`, nominal, startedAt: nominal + 20, closedAt: nominal + lasts });
  }
  const counts: Record<string, number> = {};
  const options = { from: 0, to: occurrences * 1_000, mayOverlap: false, rememberedFrom: 0 };
  const both = { shadows: shadows(occurrences), runs, ...options };
  for await (const { verdict } of match('bench', both)) counts[verdict] = (counts[verdict] ?? 0) + 1;
  const seconds = Math.round((performance.now() - startedAt) / 10) / 100;
  const megabytes = Math.round(process.memoryUsage.rss() / 1e6);
  console.log(JSON.stringify({ occurrences, seconds, megabytes, ...counts }));
  await record('compare', {
    commit,
    title: 'A comparison of what native did with what would have been done here, with a played visibility',
    size: { occurrences },
    figures: [figure('compare', 'time', 's', [seconds]), figure('compare', 'memory', 'MB', [megabytes])],
    verdicts: [verdict('compare, seconds', 's', [seconds], { atMost: MOST_SECONDS })],
    notes: ['Temporal and the ledger are played in this process.'],
  });
  const isRight = counts.overlap === Math.floor(occurrences / 10) && counts.same === occurrences - counts.overlap;
  process.exitCode = isRight && seconds < MOST_SECONDS ? 0 : 1;
}

function isLeftOut(place: number): boolean {
  return place % 10 === 9;
}

async function* shadows(occurrences: number): AsyncGenerator<Shadow> {
  for (let place = 0; place < occurrences; place++) yield { nominal: place * 1_000, decidedAt: place * 1_000 + 10 };
}

void main();
