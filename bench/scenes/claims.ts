import { closeSync } from 'node:fs';
import { pino } from 'pino';
import { Trigger } from '../../trigger';
import { pinoLogger } from '../../trigger/logging';
import { secondsAhead } from '../lib/calendar';
import { openNamelessFile } from '../lib/child';
import type { Ledger } from '../lib/ledger';
import { multiply } from '../lib/multiply';
import { ACTION, freshName } from '../lib/names';
import { inPairs } from '../lib/pairs';
import { type RawInserter, rawInserter } from '../lib/raw-inserts';
import { check, figure, ratio } from '../lib/result';
import { defineScene } from '../lib/scene';
import { describeSweep, sweep } from '../lib/sweep';

interface Size {
  /** Schedules that are due at once, each with one firing. */
  schedules: number;
  pairs: number;
  /** Rows of a raw insert to try. */
  batches: readonly number[];
  /** Connections of raw inserts to try: a trigger claims on two. */
  connections: readonly number[];
}

export const claims = defineScene<Size>({
  name: 'claims',
  title: 'Firings claimed a second while Temporal is away, ALLOW_ALL, beside raw batched inserts of the same rows',
  full: { schedules: 20_000, pairs: 7, batches: [500, 1_000, 2_000, 5_000], connections: [1, 2] },
  quick: { schedules: 50, pairs: 1, batches: [20], connections: [1, 2] },

  async run(bench, size) {
    return bench.withLedger(async (ledger) => {
      // All of them are due again after each second of a clock that stands still otherwise.
      const clock = { instant: secondsAhead(0), now: () => clock.instant };
      await createSchedules(ledger, clock, size.schedules);
      const log = openNamelessFile();
      const trigger = await Trigger.create({
        connectionString: ledger.databaseUrl,
        connection: { address: bench.servers.address },
        clock,
        // What is due is measured, not what is handed over ahead of it.
        limits: { preStartCapMilliseconds: 0 },
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
        const raw = await sweepRaw(insert, size);
        const alone: number[] = [];
        const pairs = await inPairs(bench, size.pairs, {
          ours: claimAll,
          async beside() {
            alone.push(await insert.perSecond(raw.batch, 1));
            return insert.perSecond(raw.batch, raw.connections);
          },
        });
        const rows = await ledger.count();
        return {
          figures: [
            figure('Escapement', 'claimed', 'rows/s', pairs.ours),
            figure('raw inserts', 'inserted', 'rows/s', pairs.beside),
            figure('raw inserts, one at a time', 'inserted', 'rows/s', alone),
          ],
          verdicts: [
            ratio('firings claimed, of rows inserted', pairs.ours, pairs.beside, { atLeast: 0.25 }),
            ratio('firings claimed, of rows inserted one statement at a time', pairs.ours, alone),
          ],
          checks: [
            check('each firing is there once', rows === (size.pairs + 2) * size.schedules, `${rows} rows`),
            check('a raw insert takes the rows of one round', insert.rows === size.schedules, `${insert.rows} rows`),
          ],
          notes: [
            ...raw.notes,
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

/** The rows a statement and the connections at which raw inserts are fastest. */
async function sweepRaw(insert: RawInserter, { batches, connections }: Size) {
  const size = { count: insert.rows, inFlight: batches };
  const sweeps: { connections: number; batch: number; perSecond: number; note: string }[] = [];
  for (const many of connections) {
    const found = await sweep(size, (batch) => insert.perSecond(batch, many));
    const note = describeSweep(`Raw inserts on ${many} at once, rows a statement`, found).replace('in flight', 'rows');
    sweeps.push({ connections: many, batch: found.best, perSecond: found.tried[found.best]!, note });
  }
  const fastest = sweeps.reduce((one, other) => (other.perSecond > one.perSecond ? other : one));
  const chosen = `Raw inserts are measured with ${fastest.connections} at once, ${fastest.batch} rows each.`;
  return { ...fastest, notes: [...sweeps.map(({ note }) => note), chosen] };
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
