import { ScheduleClient } from '@temporalio/client';
import type { Bench } from '../lib/bench';
import { secondsAhead, workflowIdAt } from '../lib/calendar';
import { eachSecond, loadEachSecond } from '../lib/fill/load';
import { allClosed } from '../lib/measure/closed';
import { allCompleted, firstTaskTimes } from '../lib/measure/histories';
import { ACTION, freshName } from '../lib/names';
import { percentile } from '../lib/report/statistics';
import { check, type Figure, figure, ratio, type Verdict } from '../lib/result';
import { defineScene } from '../lib/scene';
import type { NativeNamespace } from '../lib/servers';
import { settle } from '../lib/settle';
import { startTrigger } from '../lib/trigger-process';
import { type Account, eachOnce, takeAccount } from '../lib/usage/account';
import { inParallel } from '../lib/wait';

interface SteadySize {
  /** The numbers of schedules that fire each second. */
  paces: readonly number[];
  forSeconds: number;
  /** The first seconds, whose lags are not counted. */
  warmUpSeconds: number;
  rounds: number;
}

/** A contender that fires at a constant rate, and the lag of each firing in milliseconds. */
interface Contender {
  series: string;
  lagsAt(schedules: number): Promise<number[]>;
}

const OURS = 'Escapement';
const CREATIONS_PER_SECOND = 10;
const METRICS = { p50: 0.5, p99: 0.99, last: 1 };

export const steady = defineScene<SteadySize>({
  name: 'steady',
  title: 'Schedules that fire each second for a minute: lag of the first workflow task, beside native Schedules',
  full: { paces: [1, 20, 40, 80], forSeconds: 60, warmUpSeconds: 10, rounds: 3 },
  quick: { paces: [1, 2], forSeconds: 3, warmUpSeconds: 1, rounds: 1 },

  async run(bench, size) {
    await bench.worker();
    const accounts: Account[] = [];
    const natives = bench.servers.natives.filter(({ lifted }) => lifted);
    const rivals = natives.length > 0 ? natives : bench.servers.natives;
    const contenders = [ours(bench, size, accounts), ...rivals.map((rival) => native(bench, size, rival))];
    const figures: Figure[] = [];
    const own: number[] = [];
    const verdicts: Verdict[] = [];
    for (const pace of size.paces) {
      const lags = await measure(bench, contenders, pace, size.rounds);
      own.push(...lags.get(OURS)!.flat());
      const of = (series: string, share: number) => lags.get(series)!.map((round) => percentile(round, share));
      const fastest = (share: number) =>
        rivals
          .map(({ series }) => of(series, share))
          .reduce((one, other) => one.map((lag, round) => Math.min(lag, other[round]!)));
      for (const { series } of contenders)
        for (const [metric, share] of Object.entries(METRICS))
          figures.push(figure(`${series}, ${pace} a second`, `lag ${metric}`, 'ms', of(series, share)));
      verdicts.push(
        ratio(`${pace} a second, p50, of the fastest native Schedules`, of(OURS, 0.5), fastest(0.5)),
        ratio(`${pace} a second, p99, of the fastest native Schedules`, of(OURS, 0.99), fastest(0.99), { atMost: 1 }),
      );
    }
    return {
      ...{ figures, verdicts, plots: [] },
      checks: [eachOnce(accounts), check('Escapement: none before its time', Math.min(...own) >= 0)],
      notes: [`Each fires for ${size.forSeconds} s, of which the first ${size.warmUpSeconds} s do not count.`],
    };
  },
});

async function measure(
  bench: Bench,
  contenders: Contender[],
  pace: number,
  rounds: number,
): Promise<Map<string, number[][]>> {
  const lags = new Map<string, number[][]>(contenders.map(({ series }) => [series, []]));
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      const { series, lagsAt } = contenders[(round + turn) % contenders.length]!;
      await settle(bench.servers, 0);
      const measured = await lagsAt(pace);
      lags.get(series)!.push(measured);
      const [p50, p99] = [percentile(measured, 0.5), percentile(measured, 0.99)].map(Math.round);
      bench.progress(`${pace} a second, round ${round + 1} of ${rounds}, ${series}: p50 ${p50} ms, p99 ${p99} ms`);
    }
  }
  return lags;
}

function ours(bench: Bench, size: SteadySize, accounts: Account[]): Contender {
  const { address, namespace } = bench.servers;
  return {
    series: OURS,
    lagsAt: (schedules) =>
      bench.withLedger(async (ledger) =>
        bench.during(await startTrigger({ databaseUrl: ledger.databaseUrl, address }), async () => {
          const { forSeconds } = size;
          const { prefix, scheduleIds, from } = await loadEachSecond(ledger, { schedules, forSeconds });
          const expected = schedules * forSeconds;
          await allClosed(ledger, prefix, expected);
          accounts.push(await takeAccount(bench, ledger, { prefix, expected }));
          return lagsOf(bench, namespace, scheduleIds, from, size);
        }),
      ),
  };
}

function native(bench: Bench, size: SteadySize, { series, namespace }: NativeNamespace): Contender {
  const { connection } = bench;
  const client = new ScheduleClient({ connection, namespace });
  return {
    series,
    async lagsAt(schedules) {
      const prefix = freshName('steady');
      const scheduleIds = Array.from({ length: schedules }, (_, index) => `${prefix}-${index}`);
      const inAll = (work: (scheduleId: string) => Promise<unknown>) =>
        inParallel(schedules, 8, (index) => work(scheduleIds[index]!));
      const from = secondsAhead(5 + schedules / CREATIONS_PER_SECOND);
      const spec = eachSecond(from, from + (size.forSeconds - 1) * 1_000);
      await inAll((scheduleId) =>
        client.create({ scheduleId, spec, action: ACTION, policies: { overlap: 'ALLOW_ALL' } }),
      );
      await allCompleted(connection, { namespace, prefix, count: schedules * size.forSeconds });
      const lags = await lagsOf(bench, namespace, scheduleIds, from, size);
      await inAll((scheduleId) => client.getHandle(scheduleId).delete());
      return lags;
    },
  };
}

/** The lag of each firing after the warm-up, from the workflows' histories. */
async function lagsOf(
  { connection }: Bench,
  namespace: string,
  scheduleIds: readonly string[],
  from: number,
  { forSeconds, warmUpSeconds }: SteadySize,
): Promise<number[]> {
  const instants = Array.from(
    { length: forSeconds - warmUpSeconds },
    (_, second) => from + (warmUpSeconds + second) * 1_000,
  );
  const firings = scheduleIds.flatMap((scheduleId) => instants.map((instant) => ({ scheduleId, instant })));
  const times = await firstTaskTimes(
    connection,
    namespace,
    firings.map(({ scheduleId, instant }) => workflowIdAt(scheduleId, instant)),
  );
  return firings.map(({ instant }, index) => times[index]! - instant);
}
