import { oneServer } from '../../temporal/temporal';
import { Trigger } from '../../trigger';
import type { Bench } from '../lib/bench';
import { loadEachSecond } from '../lib/fill/load';
import { InstantTemporal } from '../lib/instant-temporal';
import type { Ledger } from '../lib/ledger';
import { timedPool } from '../lib/measure/timed-pool';
import { openSnapshot } from '../lib/open-snapshot';
import { percentile } from '../lib/report/statistics';
import { check, figure, ratio, verdict } from '../lib/result';
import { defineScene } from '../lib/scene';
import { SILENT } from '../lib/silent';
import { at, until } from '../lib/wait';

interface Size {
  /**
   * The number of schedules that fire each second. At full size they have as many firings as an hour at 40 per second.
   */
  schedules: number;
  seconds: number;
  rounds: number;
}

interface Round {
  takes: number[];
  lagP50: number;
  lagP99: number;
  completed: number;
}

const TAKE = /take_waiting|take_from_lanes/;

export const dispatched = defineScene<Size>({
  name: 'dispatched',
  title:
    'Takes of waiting firings while one snapshot is held open and 144,000 are dispatched, beside the same without it',
  full: { schedules: 400, seconds: 360, rounds: 1 },
  quick: { schedules: 3, seconds: 4, rounds: 1 },

  async run(bench, size) {
    const without: Round[] = [];
    const held: Round[] = [];
    for (let round = 0; round < size.rounds; round++) {
      for (const holds of [round % 2 === 1, round % 2 === 0]) {
        bench.progress(`round ${round + 1} of ${size.rounds}: ${holds ? 'with' : 'without'} a snapshot held open`);
        (holds ? held : without).push(await bench.withLedger((ledger) => dispatchAll(bench, ledger, size, holds)));
      }
    }
    const takes = (rounds: Round[], share: number) => rounds.map((round) => percentile(round.takes, share));
    const lags = (rounds: Round[], what: 'lagP50' | 'lagP99') => rounds.map((round) => round[what]);
    const figuresOf = (series: string, rounds: Round[]) => [
      figure(series, 'take, p50', 'ms', takes(rounds, 0.5)),
      figure(series, 'take, p99', 'ms', takes(rounds, 0.99)),
      figure(series, 'lag p50', 'ms', lags(rounds, 'lagP50')),
      figure(series, 'lag p99', 'ms', lags(rounds, 'lagP99')),
    ];
    const expected = size.schedules * size.seconds;
    return {
      figures: [...figuresOf('without', without), ...figuresOf('snapshot held open', held)],
      verdicts: [
        verdict('take p99, behind the snapshot', 'ms', takes(held, 0.99), { atMost: 40 }),
        ratio('lag p99, of that without', lags(held, 'lagP99'), lags(without, 'lagP99'), { atMost: 1.5 }),
      ],
      checks: [
        check(
          'each firing completed',
          [...without, ...held].every(({ completed }) => completed === expected),
          `${expected} a round`,
        ),
      ],
      notes: [
        'Temporal is played: it takes each start at once, so that ten times as many a second can be dispatched as an hour at 40 a second has.',
        'A trigger with its defaults runs in the process of the bench. A take is one statement, until its rows are there; lag is until a firing is linked.',
      ],
      plots: [],
    };
  },
});

/** Runs a trigger until all firings have completed. With `holds`, a snapshot stays open during the whole time. */
async function dispatchAll(bench: Bench, ledger: Ledger, size: Size, holds: boolean): Promise<Round> {
  const takes: number[] = [];
  const timed = timedPool(ledger.databaseUrl, TAKE, (milliseconds) => takes.push(milliseconds));
  const temporal = new InstantTemporal(bench.servers.namespace);
  const trigger = await Trigger.createOn({ pool: timed.pool, logger: SILENT }, async () => oneServer(temporal));
  const running = trigger.run();
  try {
    const { schedules, seconds: forSeconds } = size;
    const load = await loadEachSecond(ledger, { schedules, forSeconds, policies: { preStart: false } });
    const dump = holds ? await openSnapshot(ledger.databaseUrl) : undefined;
    await at(load.from);
    takes.length = 0;
    await at(load.to);
    const count = () => ledger.count(`outcome = 'completed'`);
    const expected = schedules * forSeconds;
    await until('all to complete', async () => (await count()) === expected, { everyMilliseconds: 1_000 });
    await dump?.end();
    const [lag] = await ledger.query<{ p50: number; p99: number }>(
      `select percentile_cont(0.5) within group (order by lag) as p50, percentile_cont(0.99) within group (order by lag) as p99
       from (select extract(epoch from linked_at - scheduled_time)::float8 * 1000 as lag from escapement.firings) f`,
    );
    return { takes, lagP50: lag!.p50, lagP99: lag!.p99, completed: await count() };
  } finally {
    trigger.shutdown();
    await running;
    await timed.close();
  }
}
