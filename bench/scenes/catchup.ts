import { type Account, eachOnce, takeAccount } from '../lib/account';
import type { Bench } from '../lib/bench';
import { allClosed } from '../lib/closed';
import type { Ledger } from '../lib/ledger';
import { multiply } from '../lib/multiply';
import { ACTION, freshName } from '../lib/names';
import { inPairs } from '../lib/pairs';
import { figure, ratio } from '../lib/result';
import { defineScene } from '../lib/scene';
import { startLoopRates } from '../lib/start-loop-rate';
import { describeSweep, type SweepSize, sweepStartLoop } from '../lib/sweep';
import { startTrigger } from '../lib/trigger-process';

const MINUTE = 60_000;

interface Size {
  /** Schedules that fire each minute, of which the pairs consist. */
  schedules: number;
  /** As many as are caught up once besides. */
  whole: number;
  /** How long nobody fired them. */
  minutes: number;
  pairs: number;
  sweep: SweepSize;
}

export const catchup = defineScene<Size>({
  name: 'catchup',
  title: 'Missed firings caught up and closed a second after an hour without a trigger, beside a bare start loop',
  full: {
    ...{ schedules: 100, whole: 1_000, minutes: 60, pairs: 7 },
    sweep: { count: 2_000, inFlight: [32, 64, 128] },
  },
  quick: { schedules: 4, whole: 5, minutes: 5, pairs: 1, sweep: { count: 6, inFlight: [4] } },

  async run(bench, size) {
    await bench.worker();
    const loop = await sweepStartLoop(bench, 'completedPerSecond', size.sweep);
    const accounts: Account[] = [];
    const started: number[] = [];
    const ours = (schedules: number) =>
      bench.withLedger(async (ledger) => {
        const { perSecond, account } = await catchUp(bench, ledger, { schedules, minutes: size.minutes });
        accounts.push(account);
        return perSecond;
      });
    const pairs = await inPairs(bench, size.pairs, {
      ours: () => ours(size.schedules),
      async beside() {
        const count = size.schedules * size.minutes;
        const rates = await startLoopRates(bench, { count, inFlight: loop.best });
        started.push(rates.startedPerSecond);
        return rates.completedPerSecond;
      },
    });
    bench.progress(`catching up ${size.whole} schedules`);
    const whole = await ours(size.whole);
    return {
      figures: [
        figure('Escapement', 'caught up and closed', '/s', pairs.ours),
        figure('bare start loop', 'completed', '/s', pairs.beside),
        figure('bare start loop', 'start answered', '/s', started),
        figure(`Escapement, ${size.whole} schedules`, 'caught up and closed', '/s', [whole]),
      ],
      verdicts: [
        ratio('firings caught up, of the loop’s workflows completed', pairs.ours, pairs.beside, { atLeast: 0.9 }),
        ratio('firings caught up, of the loop’s starts answered', pairs.ours, started),
      ],
      checks: [eachOnce(accounts)],
      notes: [
        describeSweep('Plain start loop', loop),
        'The trigger runs with its defaults, started for each measurement.',
        `${size.schedules} schedules a minute in each pair, and as many workflows of the loop; ${size.whole} once.`,
      ],
      plots: [],
    };
  },
});

/** From the instant at which a trigger runs again until the last missed firing is closed. */
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
