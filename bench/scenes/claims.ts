import { closeSync } from 'node:fs';
import { pino } from 'pino';
import { Trigger } from '../../trigger';
import { pinoLogger } from '../../trigger/logging';
import { secondsAhead } from '../lib/calendar';
import { openNamelessFile } from '../lib/child';
import { multiply } from '../lib/fill/multiply';
import { type RawInserter, rawInserter } from '../lib/fill/raw-inserts';
import type { Ledger } from '../lib/ledger';
import { ACTION, freshName } from '../lib/names';
import { inPairs } from '../lib/pairs';
import { check, figure, ratio } from '../lib/result';
import { defineScene } from '../lib/scene';
import { describeSweep, type Sweep, sweep } from '../lib/sweep';

interface Size {
  /** Number of schedules that are due at once, each with one firing. */
  schedules: number;
  pairs: number;
  /** Batch sizes to try for the raw inserts. */
  batches: readonly number[];
}

export const claims = defineScene<Size>({
  name: 'claims',
  title:
    'Firings claimed per second under ALLOW_ALL, without any call to Temporal, beside raw batched inserts of the same rows',
  full: { schedules: 20_000, pairs: 7, batches: [500, 1_000, 2_000, 5_000] },
  quick: { schedules: 50, pairs: 1, batches: [20] },

  async run(bench, size) {
    return bench.withLedger(async (ledger) => {
      // The clock of the trigger stands still. Each time this clock advances by a second, all schedules are due again.
      const clock = { instant: secondsAhead(0), now: () => clock.instant };
      await createSchedules(ledger, clock, size.schedules);
      const log = openNamelessFile();
      const trigger = await Trigger.createTuned({
        connectionString: ledger.databaseUrl,
        connection: { address: bench.servers.address },
        clock,
        // With 0, only due firings are measured, not those that are handed over ahead.
        preStartCap: 0,
        logger: pinoLogger('info', pino.destination({ fd: log, sync: true })),
      });
      try {
        const claimAll = async () => {
          clock.instant += 1_000;
          const begun = performance.now();
          let claimed = 0;
          for (let due = 1; due > 0; ) {
            const result = await trigger.passes.claim();
            claimed += result.claimed.length;
            due = result.due;
          }
          return (claimed / (performance.now() - begun)) * 1_000;
        };
        await claimAll();
        await claimAll();
        const insert = await rawInserter(ledger, new Date(clock.instant));
        const one = await sweepRaw(insert, size.batches, 1);
        const two = await sweepRaw(insert, size.batches, 2);
        const onOne: number[] = [];
        const onTwo: number[] = [];
        const raw = [
          async () => onOne.push(await insert.perSecond(one.best, 1)),
          async () => onTwo.push(await insert.perSecond(two.best, 2)),
        ];
        const pairs = await inPairs(bench, size.pairs, {
          ours: claimAll,
          async beside() {
            for (const measure of raw) await measure();
            raw.reverse();
            return onTwo.at(-1)!;
          },
        });
        const rows = await ledger.count();
        return {
          figures: [
            figure('Escapement', 'claimed', 'rows/s', pairs.ours),
            figure('raw inserts on two connections', 'inserted', 'rows/s', onTwo),
            figure('raw inserts on one', 'inserted', 'rows/s', onOne),
          ],
          verdicts: [
            ratio('firings claimed, of rows inserted on two connections', pairs.ours, onTwo, { atLeast: 0.25 }),
            ratio('firings claimed, of rows inserted on one', pairs.ours, onOne, { atLeast: 0.25 }),
          ],
          checks: [
            check('each firing is there once', rows === (size.pairs + 2) * size.schedules, `${rows} rows`),
            check('a raw insert takes the rows of one round', insert.rows === size.schedules, `${insert.rows} rows`),
          ],
          notes: [
            describeRaw('one connection', one),
            describeRaw('two at once', two),
            'The claim pass alone is called; it never calls Temporal, so that it is what goes on while Temporal is away.',
          ],
          plots: [],
        };
      } finally {
        await trigger.close();
        closeSync(log);
      }
    });
  },
});

/** Finds the batch size at which raw inserts on this many connections are fastest. */
function sweepRaw(insert: RawInserter, batches: readonly number[], connections: number): Promise<Sweep> {
  return sweep({ count: insert.rows, inFlight: batches }, (batch) => insert.perSecond(batch, connections));
}

function describeRaw(connections: string, found: Sweep): string {
  return describeSweep(`Raw inserts on ${connections}, rows a statement`, found).replace('in flight', 'rows');
}

async function createSchedules(ledger: Ledger, clock: { instant: number }, count: number): Promise<void> {
  const scheduleId = freshName('claims');
  await ledger.newClient({ now: () => new Date(clock.instant) }).create({
    ...{ scheduleId, action: ACTION },
    spec: { intervals: [{ every: '1 second' }] },
    policies: { overlap: 'ALLOW_ALL' },
  });
  await multiply(ledger, scheduleId, count);
}
