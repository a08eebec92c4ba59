import { figure, ratio } from '../../lib/result';
import { defineScene } from '../../lib/scene';
import { type Account, eachOnce } from '../../lib/usage/account';
import { bare, type Contender, type Cost, type CostSize, native, ours } from './contenders';
import { Meters, UNITS } from './meters';

/** The maximum number of compared Temporal schedulers: usually the tuned first scheduler and the second one. */
const MOST_RIVALS = 2;
const CPU_OF_BARE = 1.2;

/** The limit for a resource: there is a limit only for the total CPU. */
function barOf(key: keyof Cost, atMost: number) {
  return key === 'all CPU' ? { atMost } : undefined;
}

export const cost = defineScene<CostSize>({
  name: 'cost',
  title: 'What a firing costs: history events, CPU of the servers and of the trigger, WAL, beside native Schedules',
  full: { schedules: 20, forSeconds: 75, warmUpSeconds: 15, restSeconds: 20, rounds: 3 },
  quick: { schedules: 2, forSeconds: 4, warmUpSeconds: 1, restSeconds: 1, rounds: 1 },

  async run(bench, size) {
    await bench.worker();
    const meters = await Meters.open(bench);
    // Schedulers without a limit on starts are preferred.
    const lifted = bench.servers.natives.filter((one) => one.lifted);
    const rivals = lifted.length > 0 ? lifted.slice(-MOST_RIVALS) : bench.servers.natives.slice(0, 1);
    const accounts: Account[] = [];
    const contenders = [
      ours(bench, meters, size, accounts),
      ...rivals.map((rival) => native(bench, meters, size, rival)),
      bare(bench, meters, size),
    ];
    const costs = new Map<string, Cost[]>(contenders.map(({ series }) => [series, []]));
    for (let round = 0; round < size.rounds; round++) {
      for (let turn = 0; turn < contenders.length; turn++) {
        const { series, measure }: Contender = contenders[(round + turn) % contenders.length]!;
        bench.progress(`round ${round + 1} of ${size.rounds}: ${series}`);
        costs.get(series)!.push(await measure());
      }
    }
    const of = (series: string, key: keyof Cost) => costs.get(series)!.map((one) => one[key] ?? Number.NaN);
    const measured = (series: string) => Object.keys(costs.get(series)![0]!) as (keyof Cost)[];
    const [own, bareStarts] = [contenders[0]!.series, contenders.at(-1)!.series];
    return {
      figures: contenders.flatMap(({ series }) =>
        measured(series).map((key) =>
          figure(series, key, key === 'history events' ? 'a firing' : `${UNITS[key]} a firing`, of(series, key)),
        ),
      ),
      verdicts: [
        ...rivals.flatMap(({ series }) =>
          measured(series).map((key) => ratio(`${key}, of ${series}`, of(own, key), of(series, key), barOf(key, 1))),
        ),
        ...measured(bareStarts).map((key) =>
          ratio(`${key}, of bare starts`, of(own, key), of(bareStarts, key), barOf(key, CPU_OF_BARE)),
        ),
        // If Temporal keeps its state elsewhere, plain starts may use none of a resource. The ratio is then not finite,
        // and is left out.
      ].filter(({ repeats }) => repeats.every(Number.isFinite)),
      checks: [eachOnce(accounts)],
      notes: [
        `${size.schedules} schedules fire each second for ${size.forSeconds} s, of which the first ${size.warmUpSeconds} s warm up; what that time at rest uses is taken off, as measured for ${size.restSeconds} s just before.`,
        meters.readsWal
          ? 'WAL is that of the changes, without the images of whole pages that follow a checkpoint.'
          : 'WAL includes the images of whole pages that follow a checkpoint: it tells little.',
        bench.servers.temporalOnPostgres
          ? 'WAL and CPU of Postgres are those of the ledger and of Temporal’s own tables together.'
          : 'Temporal keeps its state elsewhere: WAL and CPU of Postgres are those of the ledger alone, and say nothing beside native Schedules.',
        'The trigger CPU of bare starts is that of the bench, which calls start.',
      ],
      plots: [],
    };
  },
});
