import type { Bench } from '../lib/bench';
import { claimBacklog } from '../lib/fill/backlog';
import type { Ledger } from '../lib/ledger';
import { allClosed } from '../lib/measure/closed';
import { freshName } from '../lib/names';
import { inPairs } from '../lib/pairs';
import { check, figure, ratio } from '../lib/result';
import { defineScene } from '../lib/scene';
import { startLoopRates } from '../lib/start-loop-rate';
import { describeSweep, type SweepSize, sweepStartLoop } from '../lib/sweep';
import { startTrigger } from '../lib/trigger-process';
import { type Account, eachOnce, takeAccount } from '../lib/usage/account';

interface Size {
  /** Firings whose starts a trigger announced, and did not call, before it died. */
  lost: number;
  pairs: number;
  sweep: SweepSize;
}

export const recovery = defineScene<Size>({
  name: 'recovery',
  title: 'Lost firings recovered and closed a second after the trigger that held them died, beside a bare start loop',
  full: { lost: 10_000, pairs: 7, sweep: { count: 2_000, inFlight: [32, 64, 128] } },
  quick: { lost: 20, pairs: 1, sweep: { count: 6, inFlight: [4] } },

  async run(bench, size) {
    await bench.worker();
    const loop = await sweepStartLoop(bench, 'completedPerSecond', size.sweep);
    const accounts: Account[] = [];
    const recovered: number[] = [];
    const started: number[] = [];
    const pairs = await inPairs(bench, size.pairs, {
      ours: () =>
        bench.withLedger(async (ledger) => {
          const found = await recover(bench, ledger, size.lost);
          accounts.push(found.account);
          recovered.push(found.recovered);
          return found.perSecond;
        }),
      async beside() {
        const rates = await startLoopRates(bench, { count: size.lost, inFlight: loop.best });
        started.push(rates.startedPerSecond);
        return rates.completedPerSecond;
      },
    });
    return {
      figures: [
        figure('Escapement', 'recovered and closed', '/s', pairs.ours),
        figure('bare start loop', 'completed', '/s', pairs.beside),
        figure('bare start loop', 'start answered', '/s', started),
      ],
      verdicts: [
        ratio('firings recovered, of the loop’s workflows completed', pairs.ours, pairs.beside, { atLeast: 0.9 }),
        ratio('firings recovered, of the loop’s starts answered', pairs.ours, started),
      ],
      checks: [
        eachOnce(accounts),
        check(
          'each was recovered',
          recovered.every((count) => count === size.lost),
          recovered.join(', '),
        ),
      ],
      notes: [
        describeSweep('Plain start loop', loop),
        'The trigger runs with its defaults, started for each measurement.',
      ],
      plots: [],
    };
  },
});

/** Measures the time from the start of another trigger until the last firing is closed. */
async function recover(bench: Bench, ledger: Ledger, lost: number) {
  const { databaseUrl } = ledger;
  const { address } = bench.servers;
  const prefix = freshName('lost');
  const dead = await claimBacklog(ledger, address, { prefix, count: lost });
  // A firing is held by a trigger, and so can be lost, only once its start is announced.
  await ledger.query(
    `update escapement.firings set owner = $1, first_attempted_at = now(), start_attempted_at = now(),
       check_at = now() + interval '30 seconds'`,
    [dead],
  );
  return bench.during(await startTrigger({ databaseUrl, address }), async () => {
    const runningSince = Date.now();
    const closedAt = await allClosed(ledger, prefix, lost);
    return {
      perSecond: (lost / (closedAt - runningSince)) * 1_000,
      recovered: await ledger.count('recovery is not null'),
      account: await takeAccount(bench, ledger, { prefix, expected: lost }),
    };
  });
}
