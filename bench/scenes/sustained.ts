import type { Bench } from '../lib/bench';
import { loadEachSecond } from '../lib/fill/load';
import type { Ledger } from '../lib/ledger';
import { allClosed } from '../lib/measure/closed';
import { rowVersionsAFiring } from '../lib/measure/row-versions';
import { inPairs } from '../lib/pairs';
import { figure, ratio, verdict } from '../lib/result';
import { defineScene } from '../lib/scene';
import { startLoopRates } from '../lib/start-loop-rate';
import { describeSweep, type SweepSize, sweep, sweepStartLoop } from '../lib/sweep';
import { startMeasuredTrigger } from '../lib/trigger-process';
import { type Account, eachOnce, takeAccount } from '../lib/usage/account';
import { at } from '../lib/wait';

interface Size {
  /** The number of firings in one measurement. */
  firings: number;
  /** The number of seconds over which the firings are due: so few that the trigger never waits for them. */
  dueWithinSeconds: number;
  pairs: number;
  sweep: SweepSize;
}

export const sustained = defineScene<Size>({
  name: 'sustained',
  title: 'Firings closed per second in the ledger, beside the workflows of a bare start loop completed per second',
  full: { firings: 5_000, dueWithinSeconds: 5, pairs: 7, sweep: { count: 2_000, inFlight: [32, 64, 128] } },
  quick: { firings: 20, dueWithinSeconds: 2, pairs: 1, sweep: { count: 6, inFlight: [4] } },

  async run(bench, size) {
    await bench.worker();
    const loop = await sweepStartLoop(bench, 'completedPerSecond', size.sweep);
    bench.progress('looking for the best concurrency of the trigger');
    const trigger = await sweep(size.sweep, (inFlight, count) =>
      bench.withLedger((ledger) =>
        withTrigger(bench, ledger, inFlight, async () => {
          // A new trigger process is slow at first, while the loop is already warm.
          await firingsPerSecond(bench, ledger, count, size.dueWithinSeconds);
          return firingsPerSecond(bench, ledger, count, size.dueWithinSeconds);
        }),
      ),
    );
    const started: number[] = [];
    const accounts: Account[] = [];
    const { pairs, rowVersions } = await bench.withLedger(async (ledger) => ({
      pairs: await withTrigger(bench, ledger, trigger.best, async () => {
        const ours = () => firingsPerSecond(bench, ledger, size.firings, size.dueWithinSeconds, accounts);
        // After this run the trigger is warm, as the loop is after its sweep.
        await ours();
        return inPairs(bench, size.pairs, {
          ours,
          async beside() {
            const rates = await startLoopRates(bench, { count: size.firings, inFlight: loop.best });
            started.push(rates.startedPerSecond);
            return rates.completedPerSecond;
          },
        });
      }),
      rowVersions: await rowVersionsAFiring(ledger),
    }));
    return {
      figures: [
        figure('Escapement', 'closed', '/s', pairs.ours),
        figure('Escapement', 'row versions a firing', '', [rowVersions]),
        figure('bare start loop', 'completed', '/s', pairs.beside),
        figure('bare start loop', 'start answered', '/s', started),
      ],
      verdicts: [
        ratio('firings closed, of the loop’s workflows completed', pairs.ours, pairs.beside, { atLeast: 0.9 }),
        ratio('firings closed, of the loop’s starts answered', pairs.ours, started),
        verdict('row versions a firing', '', [rowVersions], { atMost: 5 }),
      ],
      checks: [eachOnce(accounts)],
      notes: [describeSweep('Plain start loop', loop), describeSweep('Trigger', trigger)],
      plots: [],
    };
  },
});

/** Runs work while a trigger is running. */
async function withTrigger<Result>(
  bench: Bench,
  { databaseUrl }: Ledger,
  startsInFlight: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const { address } = bench.servers;
  return bench.during(await startMeasuredTrigger({ databaseUrl, address, startsInFlight }), work);
}

/** Measures the rate from the first due instant until the last firing is closed in the ledger. */
async function firingsPerSecond(
  bench: Bench,
  ledger: Ledger,
  firings: number,
  dueWithinSeconds: number,
  accounts: Account[] = [],
): Promise<number> {
  const schedules = Math.ceil(firings / dueWithinSeconds);
  // If firings were handed over ahead, they would wait in Temporal, and would not be measured.
  const policies = { preStart: false };
  const load = await loadEachSecond(ledger, { schedules, forSeconds: dueWithinSeconds, policies });
  await at(load.from);
  const closedAt = await allClosed(ledger, load.prefix, schedules * dueWithinSeconds);
  const expected = schedules * dueWithinSeconds;
  accounts.push(await takeAccount(bench, ledger, { prefix: load.prefix, expected }));
  return (expected / (closedAt - load.from)) * 1_000;
}
