import type { Bench } from '../../lib/bench';
import { cdf } from '../../lib/report/plots';
import { percentile } from '../../lib/report/statistics';
import { type Check, check, type Figure, type Findings, figure, ratio, type Verdict, verdict } from '../../lib/result';
import { defineScene } from '../../lib/scene';
import { settle } from '../../lib/settle';
import { describeSweep, sweepStartLoop } from '../../lib/sweep';
import { preStarted, startLoop } from './bare';
import type { Contender, StampedeSize } from './contender';
import { native } from './native';
import { ours } from './ours';

const OURS = 'Escapement';
const OURS_WHEN_DUE = 'Escapement, preStart: false';
const OURS_FARTHER = 'Escapement, preStart: 60 seconds';

/**
 * Limits for Escapement's lag: its ratio to the fastest native scheduler, its milliseconds beyond bare pre-started
 * workflows, and the ratio of due-time starts to the plain loop.
 */
const BARS = { p50OfNative: 1 / 25, p99OfNative: 0.1, p99BeyondBare: 500, ofLoop: 1.2 };
/**
 * Limit for firings that may be handed over a minute ahead: their lag, divided by the lag of bare starts that are made
 * equally early.
 */
const FARTHER_OF_BARE = 1.15;

// At 1,000 schedules the warm-up is as large as the rehearsal in which each native schedule fires once; at 5,000 it is
// smaller.
const PREPARED = {
  warmUp: 1_000,
  quietSeconds: 10,
  rehearse: true,
  sweep: { count: 500, inFlight: [16, 32, 64, 128] },
};
const QUICK = {
  ...{ count: 12, rounds: 1, warmUp: 2, quietSeconds: 1, rehearse: false },
  sweep: { count: 8, inFlight: [4] },
};

export const stampede = ofSchedules(1_000, {
  name: 'stampede',
  title: '1,000 schedules due at one instant: lag of the first workflow task, beside native Schedules and bare starts',
  rounds: 3,
  bars: BARS,
});

export const stampede5000 = ofSchedules(5_000, {
  name: 'stampede-5000',
  title: '5,000 schedules due at one instant: the same',
  rounds: 1,
  farther: true,
});

interface StampedeScene {
  name: string;
  title: string;
  rounds: number;
  bars?: typeof BARS;
  /** Whether some firings are handed over earlier than a trigger does by default. */
  farther?: boolean;
}

function ofSchedules(count: number, scene: StampedeScene) {
  const { name, title, rounds } = scene;
  return defineScene<StampedeSize>({
    name,
    title,
    full: { count, rounds, ...PREPARED },
    quick: QUICK,
    run: (bench, size) => run(bench, size, scene),
  });
}

async function run(bench: Bench, size: StampedeSize, { name, bars, farther }: StampedeScene): Promise<Findings> {
  await bench.worker();
  const loop = await sweepStartLoop(bench, 'startedPerSecond', size.sweep);
  const chosen = { inFlight: loop.best, perSecond: loop.tried[loop.best]! };
  const contenders = [
    ours(bench, size, { series: OURS }),
    ours(bench, size, { series: OURS_WHEN_DUE, preStart: false }),
    ...(farther ? [ours(bench, size, { series: OURS_FARTHER, preStart: '60 seconds' })] : []),
    preStarted(bench, size, chosen),
    startLoop(bench, size, chosen),
    ...bench.servers.natives.map((one) => native(bench, size, one)),
  ];
  const rounds = await measure(bench, contenders, size);
  const natives = bench.servers.natives.map(({ series }) => series);
  return {
    figures: figuresOf(rounds),
    verdicts: verdictsOf(rounds, natives, bars),
    checks: checksOf(rounds),
    notes: [
      describeSweep('Plain start loop and pre-starting', loop),
      ...(bench.servers.natives.some(({ lifted }) => lifted)
        ? []
        : ['The cap of native Schedules could not be lifted on this server.']),
      'The plot has all rounds of a contender in one line.',
    ],
    plots: [
      {
        file: `${name}.svg`,
        svg: cdf({
          title: `${size.count.toLocaleString('en')} schedules due at one instant`,
          xLabel: 'lag of the first workflow task, milliseconds',
          series: [...rounds].map(([label, lags]) => ({ label, values: lags.flat() })),
        }),
      },
    ],
  };
}

/** The lags in each round, by contender. */
type Rounds = Map<string, number[][]>;

/** Measures in rounds: each round has every contender once, and begins with another one each time. */
async function measure(
  { progress, servers }: Bench,
  contenders: Contender[],
  { count, rounds }: StampedeSize,
): Promise<Rounds> {
  const lags: Rounds = new Map(contenders.map(({ series }) => [series, []]));
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      const { series, stampede } = contenders[(round + turn) % contenders.length]!;
      // The server first finishes the work that the previous contender has left.
      await settle(servers, 0);
      const measured = await stampede();
      lags.get(series)!.push(measured);
      const [p50, p99] = [percentile(measured, 0.5), percentile(measured, 0.99)].map(Math.round);
      progress(`${count} at one instant, round ${round + 1} of ${rounds}, ${series}: p50 ${p50} ms, p99 ${p99} ms`);
    }
  }
  return lags;
}

const METRICS = { first: 0, p50: 0.5, p99: 0.99, last: 1 };

function figuresOf(rounds: Rounds): Figure[] {
  return [...rounds].flatMap(([series, lags]) =>
    Object.entries(METRICS).map(([metric, share]) =>
      figure(
        series,
        `lag ${metric}`,
        'ms',
        lags.map((one) => percentile(one, share)),
      ),
    ),
  );
}

function verdictsOf(rounds: Rounds, natives: readonly string[], bars: typeof BARS | undefined): Verdict[] {
  const at = (series: string, share: number) => rounds.get(series)!.map((lags) => percentile(lags, share));
  // The fastest of the variants of Temporal's Schedules, round by round.
  const fastest = (share: number) =>
    natives
      .map((series) => at(series, share))
      .reduce((one, other) => one.map((lag, round) => Math.min(lag, other[round]!)));
  const bar = (name: keyof typeof BARS) => bars && { atMost: bars[name] };
  const bare = at('bare pre-started workflows', 0.99);
  const more = at(OURS, 0.99).map((lag, round) => lag - bare[round]!);
  const late = (share: number) => at(OURS_WHEN_DUE, share);
  const loop = (share: number) => at('plain start loop', share);
  return [
    ratio('p50, of the fastest native Schedules', at(OURS, 0.5), fastest(0.5), bar('p50OfNative')),
    ratio('p99, of the fastest native Schedules', at(OURS, 0.99), fastest(0.99), bar('p99OfNative')),
    verdict('p99, beyond bare pre-started workflows', 'ms', more, bar('p99BeyondBare')),
    ratio('preStart: false, p50, of the fastest native Schedules', late(0.5), fastest(0.5)),
    ratio('preStart: false, p99, of the fastest native Schedules', late(0.99), fastest(0.99)),
    ratio('preStart: false, p50, of the plain start loop', late(0.5), loop(0.5), bar('ofLoop')),
    ratio('preStart: false, p99, of the plain start loop', late(0.99), loop(0.99), bar('ofLoop')),
    ...(rounds.has(OURS_FARTHER)
      ? [
          ratio('preStart: 60 seconds, p99, of bare pre-started workflows', at(OURS_FARTHER, 0.99), bare, {
            atMost: FARTHER_OF_BARE,
          }),
        ]
      : []),
  ];
}

function checksOf(rounds: Rounds): Check[] {
  return [...rounds]
    .filter(([series]) => series.startsWith(OURS))
    .map(([series, lags]) => {
      const first = Math.min(...lags.flat());
      return check(`${series}: each fired, and none before its time`, first >= 0, `first ${first} ms`);
    });
}
