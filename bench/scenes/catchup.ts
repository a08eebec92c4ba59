import type { Bench } from '../lib/bench';
import { multiply } from '../lib/fill/multiply';
import type { Ledger } from '../lib/ledger';
import { allClosed } from '../lib/measure/closed';
import { ACTION, freshName } from '../lib/names';
import { inPairs } from '../lib/pairs';
import { type Bar, type Findings, figure, ratio } from '../lib/result';
import { defineScene } from '../lib/scene';
import { startLoopRates } from '../lib/start-loop-rate';
import { describeSweep, type SweepSize, sweepStartLoop } from '../lib/sweep';
import { startTrigger } from '../lib/trigger-process';
import { type Account, eachOnce, takeAccount } from '../lib/usage/account';

const MINUTE = 60_000;

interface Size {
  /** The number of schedules that fire each minute. */
  schedules: number;
  /** For how many minutes no trigger was running. */
  minutes: number;
  pairs: number;
  sweep: SweepSize;
}

const SWEEP: SweepSize = { count: 2_000, inFlight: [32, 64, 128] };
const QUICK: Size = { schedules: 4, minutes: 5, pairs: 1, sweep: { count: 6, inFlight: [4] } };

export const catchup = defineScene<Size>({
  name: 'catchup',
  title: 'Missed firings caught up and closed per second, after an hour without a trigger, beside a bare start loop',
  full: { schedules: 100, minutes: 60, pairs: 7, sweep: SWEEP },
  quick: QUICK,
  run: (bench, size) => run(bench, size, { atLeast: 0.9 }),
});

export const catchup60000 = defineScene<Size>({
  name: 'catchup-60000',
  title: 'The same after an hour of 1,000 schedules a minute, once',
  full: { schedules: 1_000, minutes: 60, pairs: 1, sweep: SWEEP },
  quick: QUICK,
  run: (bench, size) => run(bench, size),
});

async function run(bench: Bench, size: Size, bar?: Bar): Promise<Findings> {
  await bench.worker();
  const loop = await sweepStartLoop(bench, 'completedPerSecond', size.sweep);
  const accounts: Account[] = [];
  const started: number[] = [];
  const pairs = await inPairs(bench, size.pairs, {
    ours: () =>
      bench.withLedger(async (ledger) => {
        const { perSecond, account } = await catchUp(bench, ledger, size);
        accounts.push(account);
        return perSecond;
      }),
    async beside() {
      const count = size.schedules * size.minutes;
      const rates = await startLoopRates(bench, { count, inFlight: loop.best });
      started.push(rates.startedPerSecond);
      return rates.completedPerSecond;
    },
  });
  return {
    figures: [
      figure('Escapement', 'caught up and closed', '/s', pairs.ours),
      figure('bare start loop', 'completed', '/s', pairs.beside),
      figure('bare start loop', 'start answered', '/s', started),
    ],
    verdicts: [
      ratio('firings caught up, of the loop’s workflows completed', pairs.ours, pairs.beside, bar),
      ratio('firings caught up, of the loop’s starts answered', pairs.ours, started),
    ],
    checks: [eachOnce(accounts)],
    notes: [
      describeSweep('Plain start loop', loop),
      'The trigger runs with its defaults, started for each measurement.',
      `${size.schedules} schedules a minute, and as many workflows of the loop.`,
    ],
    plots: [],
  };
}

/** Measures the time from the restart of a trigger until the last missed firing is closed. */
async function catchUp(
  bench: Bench,
  ledger: Ledger,
  { schedules, minutes }: Pick<Size, 'schedules' | 'minutes'>,
): Promise<{ perSecond: number; account: Account }> {
  const prefix = freshName('missed');
  const expected = schedules * minutes;
  const until = Math.floor(Date.now() / MINUTE) * MINUTE;
  const client = ledger.newClient({ now: () => new Date(until - minutes * MINUTE) });
  await client.create({
    scheduleId: prefix,
    spec: { cronExpressions: ['* * * * *'], endAt: new Date(until) },
    action: ACTION,
    policies: { overlap: 'ALLOW_ALL', catchupLimit: Number.POSITIVE_INFINITY },
  });
  await multiply(ledger, prefix, schedules);
  const { databaseUrl } = ledger;
  return bench.during(await startTrigger({ databaseUrl, address: bench.servers.address }), async () => {
    const runningSince = Date.now();
    const closedAt = await allClosed(ledger, prefix, expected);
    const account = await takeAccount(bench, ledger, { prefix, expected });
    return { perSecond: (expected / (closedAt - runningSince)) * 1_000, account };
  });
}
