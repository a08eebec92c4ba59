import { groupBy } from '../../trigger/group';
import type { Bench } from '../lib/bench';
import { loadEachSecond } from '../lib/fill/load';
import { openSnapshot } from '../lib/open-snapshot';
import { overTime } from '../lib/report/plots';
import { median, percentile } from '../lib/report/statistics';
import { check, type Figure, figure, ratio } from '../lib/result';
import { defineScene } from '../lib/scene';
import type { TimedPass } from '../lib/trigger-main';
import { startMeasuredTrigger } from '../lib/trigger-process';
import { seconds } from '../lib/wait';

interface Size {
  /** The number of schedules that fire each second. */
  schedules: number;
  rounds: number;
  warmUpSeconds: number;
  /** For how many seconds the snapshot is held, and how long the measurement without a snapshot takes. */
  holdSeconds: number;
}

const PASS = /^pass (.*)$/gm;
const KINDS = { 'tick, nothing due': (pass: TimedPass) => pass.due === 0, claim: (pass: TimedPass) => pass.due > 0 };
type Kind = keyof typeof KINDS;

export const snapshot = defineScene<Size>({
  name: 'snapshot',
  title: 'Claim passes under load while a dump holds one snapshot open, beside the same without it',
  full: { schedules: 40, rounds: 3, warmUpSeconds: 10, holdSeconds: 300 },
  quick: { schedules: 3, rounds: 1, warmUpSeconds: 1, holdSeconds: 4 },

  async run(bench, size) {
    await bench.worker();
    const without: TimedPass[][] = [];
    const held: TimedPass[][] = [];
    for (let round = 0; round < size.rounds; round++) {
      for (const holds of [round % 2 === 1, round % 2 === 0]) {
        bench.progress(`round ${round + 1} of ${size.rounds}: ${holds ? 'with' : 'without'} a snapshot held open`);
        (holds ? held : without).push(await passesDuring(bench, size, holds));
      }
    }
    const p = (rounds: TimedPass[][], kind: Kind, share: number) =>
      rounds.map((passes) =>
        percentile(
          passes.filter(KINDS[kind]).map((pass) => pass.milliseconds),
          share,
        ),
      );
    const figuresOf = (series: string, rounds: TimedPass[][]): Figure[] =>
      (Object.keys(KINDS) as Kind[]).flatMap((kind) => [
        figure(series, `${kind}, p50`, 'ms', p(rounds, kind, 0.5)),
        figure(series, `${kind}, p99`, 'ms', p(rounds, kind, 0.99)),
      ]);
    const both = [...without, ...held];
    return {
      figures: [...figuresOf('without', without), ...figuresOf('snapshot held open', held)],
      verdicts: [
        ratio('tick p50, of that without', p(held, 'tick, nothing due', 0.5), p(without, 'tick, nothing due', 0.5)),
        ratio('tick p99, of that without', p(held, 'tick, nothing due', 0.99), p(without, 'tick, nothing due', 0.99)),
        ratio('claim p50, of that without', p(held, 'claim', 0.5), p(without, 'claim', 0.5)),
        ratio('claim p99, of that without', p(held, 'claim', 0.99), p(without, 'claim', 0.99)),
      ],
      checks: [
        check(
          'both kinds of pass were seen in each round',
          both.every((passes) => Object.values(KINDS).every((is) => passes.some(is))),
        ),
      ],
      notes: [
        `${size.schedules} schedules fire each second and are started, linked and closed as ever.`,
        'A tick is a claim pass that found nothing due: one right after each that claimed, and any other.',
        'The plots are of the first round.',
      ],
      plots: Object.entries({ tick: 'tick, nothing due', claim: 'claim' } as const).map(([name, kind]) => ({
        file: `snapshot-${name}.svg`,
        svg: overTime({
          title: `A ${name} while a snapshot is held open`,
          xLabel: 'seconds since it was opened',
          yLabel: 'milliseconds, p50 of 10 s',
          lines: [
            { label: 'without', points: courseOf(without[0]!, kind) },
            { label: 'snapshot held open', points: courseOf(held[0]!, kind) },
          ],
        }),
      })),
    };
  },
});

/** The claim passes of a trigger under load, during the time in which a snapshot is held, or would be held. */
function passesDuring(bench: Bench, size: Size, holds: boolean): Promise<TimedPass[]> {
  const { address } = bench.servers;
  return bench.withLedger(async (ledger) => {
    const trigger = await startMeasuredTrigger({ databaseUrl: ledger.databaseUrl, address, timeClaims: true });
    return bench.during(trigger, async () => {
      await loadEachSecond(ledger, { schedules: size.schedules });
      await seconds(size.warmUpSeconds);
      const dump = holds ? await openSnapshot(ledger.databaseUrl) : undefined;
      const begun = Date.now();
      await seconds(size.holdSeconds);
      await dump?.end();
      const passes = [...trigger.log().matchAll(PASS)].map(([, json]) => JSON.parse(json!) as TimedPass);
      return passes.map((pass) => ({ ...pass, at: pass.at - begun })).filter(({ at }) => at >= 0);
    });
  });
}

/** The median pass of a kind in each 10 s. */
function courseOf(passes: TimedPass[], kind: Kind): [number, number][] {
  const slots = groupBy(passes.filter(KINDS[kind]), ({ at }) => String(Math.floor(at / 10_000) * 10));
  return [...slots].map(([second, found]) => [Number(second), median(found.map(({ milliseconds }) => milliseconds))]);
}
