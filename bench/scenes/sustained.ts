import type { Bench } from '../lib/bench';
import { secondsAhead } from '../lib/calendar';
import { allClosed } from '../lib/closed';
import type { Ledger } from '../lib/ledger';
import { ACTION, freshName } from '../lib/names';
import { inPairs } from '../lib/pairs';
import { check, figure, ratio } from '../lib/result';
import { defineScene } from '../lib/scene';
import { startLoopRates } from '../lib/start-loop-rate';
import { describeSweep, type SweepSize, sweep, sweepStartLoop } from '../lib/sweep';
import { startMeasuredTrigger } from '../lib/trigger-process';
import { at, inParallel } from '../lib/wait';

interface Size {
  /** Firings of one measurement. */
  firings: number;
  /** Over how many seconds they fall due: so few that the trigger never waits for them. */
  dueWithinSeconds: number;
  pairs: number;
  sweep: SweepSize;
}

export const sustained = defineScene<Size>({
  name: 'sustained',
  title:
    'Firings a second until they are closed in the ledger, beside a bare start loop until its workflows are completed',
  full: { firings: 3_000, dueWithinSeconds: 3, pairs: 7, sweep: { count: 1_000, inFlight: [16, 32, 64, 128] } },
  quick: { firings: 20, dueWithinSeconds: 2, pairs: 1, sweep: { count: 6, inFlight: [4] } },

  async run(bench, size) {
    await bench.worker();
    const loop = await sweepStartLoop(bench, size.sweep);
    bench.progress('looking for the best concurrency of the trigger');
    const trigger = await sweep(size.sweep, (inFlight, count) =>
      withTrigger(bench, inFlight, async (ledger) => {
        // A process that has just begun is slow; the loop's has not.
        await firingsPerSecond(ledger, count, size.dueWithinSeconds);
        return firingsPerSecond(ledger, count, size.dueWithinSeconds);
      }),
    );
    const started: number[] = [];
    let fired = 0;
    const pairs = await withTrigger(bench, trigger.best, async (ledger) => {
      const ours = () => firingsPerSecond(ledger, size.firings, size.dueWithinSeconds);
      // Warm, as the loop is after its sweep.
      await ours();
      const measured = await inPairs(bench, size.pairs, {
        ours,
        async beside() {
          const rates = await startLoopRates(bench, { count: size.firings, inFlight: loop.best });
          started.push(rates.startedPerSecond);
          return rates.completedPerSecond;
        },
      });
      fired = await ledger.count();
      return measured;
    });
    return {
      figures: [
        figure('Escapement', 'closed', '/s', pairs.ours),
        figure('bare start loop', 'completed', '/s', pairs.beside),
        figure('bare start loop', 'start answered', '/s', started),
      ],
      verdicts: [
        ratio('firings closed, of the loop’s workflows completed', pairs.ours, pairs.beside, { atLeast: 0.9 }),
        ratio('firings closed, of the loop’s starts answered', pairs.ours, started),
      ],
      checks: [check('each firing is there once', fired === (size.pairs + 1) * size.firings, `${fired} rows`)],
      notes: [describeSweep('Plain start loop', loop), describeSweep('Trigger', trigger)],
      plots: [],
    };
  },
});

/** Work beside a running trigger on a ledger of its own. */
async function withTrigger<Result>(
  bench: Bench,
  startsInFlight: number,
  work: (ledger: Ledger) => Promise<Result>,
): Promise<Result> {
  const { address } = bench.servers;
  return bench.withLedger(async (ledger) => {
    const options = { databaseUrl: ledger.databaseUrl, address, limits: { startsInFlight } };
    return bench.during(await startMeasuredTrigger(options), () => work(ledger));
  });
}

/** From the instant at which the first are due until the last is closed in the ledger. */
async function firingsPerSecond(ledger: Ledger, firings: number, dueWithinSeconds: number): Promise<number> {
  const prefix = freshName('sustained');
  const schedules = Math.ceil(firings / dueWithinSeconds);
  const from = secondsAhead(2 + schedules / 200);
  await inParallel(schedules, 8, (index) =>
    ledger.client.create({
      scheduleId: `${prefix}-${index}`,
      spec: {
        intervals: [{ every: '1 second' }],
        startAt: new Date(from),
        endAt: new Date(from + (dueWithinSeconds - 1) * 1_000),
      },
      action: ACTION,
      // What is handed over ahead would wait in Temporal, and not be measured.
      policies: { overlap: 'ALLOW_ALL', preStart: false },
    }),
  );
  if (Date.now() > from) throw new Error('creating the schedules took longer than was allowed for');
  await at(from);
  const closedAt = await allClosed(ledger, prefix, schedules * dueWithinSeconds);
  return ((schedules * dueWithinSeconds) / (closedAt - from)) * 1_000;
}
