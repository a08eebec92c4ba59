import { DEFAULTS } from '../../../core/defaults';
import { overTime } from '../../lib/report/plots';
import { percentile } from '../../lib/report/statistics';
import { check, figure, verdict } from '../../lib/result';
import { defineScene } from '../../lib/scene';
import { type Account, eachOnce } from '../../lib/usage/account';
import { BUSY_WITHIN_MILLISECONDS, type KillSize, type Lag, lagsUnderLoad } from './lags';

export const kill = defineScene<KillSize>({
  name: 'kill',
  title: 'Lag of the first workflow task under load when one of two triggers is killed, beside the same without a kill',
  full: { schedules: 40, forSeconds: 60, killBetweenSeconds: [20, 24], holds: true, rounds: 5 },
  quick: { schedules: 3, forSeconds: 4, killBetweenSeconds: [1, 2], holds: false, rounds: 1 },

  async run(bench, size) {
    await bench.worker();
    const undisturbed: Lag[][] = [];
    const killed: Lag[][] = [];
    const accounts: Account[] = [];
    for (let round = 0; round < size.rounds; round++) {
      for (const kills of [round % 2 === 1, round % 2 === 0]) {
        bench.progress(`round ${round + 1} of ${size.rounds}: ${kills ? 'one of two triggers is killed' : 'no kill'}`);
        const { lags, account } = await lagsUnderLoad(bench, size, kills);
        (kills ? killed : undisturbed).push(lags);
        accounts.push(account);
      }
    }
    const held = killed.map((lags) => lags.filter(({ recovered }) => recovered));
    const rest = killed.map((lags) => lags.filter(({ recovered }) => !recovered));
    const p = (rounds: Lag[][], share: number) =>
      rounds.map((lags) =>
        percentile(
          lags.map(({ milliseconds }) => milliseconds),
          share,
        ),
      );
    const beyond = (rounds: Lag[][], share: number) =>
      p(rounds, share).map((lag, round) => lag - p(undisturbed, share)[round]!);
    const someHeld = held.every((lags) => lags.length > 0);
    const all = [...undisturbed, ...killed].flat();
    return {
      figures: Object.entries({
        'no kill': undisturbed,
        'a kill: not held by the killed': rest,
        ...(someHeld && { 'a kill: held by the killed': held }),
      }).flatMap(([series, rounds]) =>
        Object.entries({ p50: 0.5, p99: 0.99, last: 1 }).map(([metric, share]) =>
          figure(series, `lag ${metric}`, 'ms', p(rounds, share)),
        ),
      ),
      verdicts: [
        ...(someHeld
          ? [
              verdict('last of what the killed one held, beyond the last without a kill', 'ms', beyond(held, 1), {
                atMost: DEFAULTS.ledger.staleAfterMilliseconds,
                every: true,
              }),
            ]
          : []),
        verdict('p50 of the rest, beyond that without a kill', 'ms', beyond(rest, 0.5)),
        verdict('p99 of the rest, beyond that without a kill', 'ms', beyond(rest, 0.99)),
      ],
      checks: [
        eachOnce(accounts),
        ...(size.holds ? [check('each killed trigger held some', someHeld)] : []),
        check(
          'none before its time',
          all.every(({ milliseconds }) => milliseconds >= 0),
        ),
      ],
      notes: [
        `${size.schedules} schedules fire each second for ${size.forSeconds} s; at some instant between ${size.killBetweenSeconds.join(' and ')} s, that is, of the time between two heartbeats, a wait for held claims begins.`,
        `The kill comes when the trigger holds claims, or after ${BUSY_WITHIN_MILLISECONDS / 1_000} s.`,
        `Firings held by the killed trigger, by round: ${held.map((lags) => lags.length).join(', ')}.`,
      ],
      plots: [
        {
          file: 'kill.svg',
          svg: overTime({
            title: 'One of two triggers is killed',
            xLabel: 'nominal time, seconds since the load began',
            yLabel: 'largest lag, milliseconds',
            lines: [
              { label: 'no kill', points: courseOf(undisturbed[0]!) },
              { label: 'a kill', points: courseOf(killed[0]!) },
            ],
          }),
        },
      ],
    };
  },
});

/** The largest lag in each second. */
function courseOf(lags: Lag[]): [number, number][] {
  const largest = new Map<number, number>();
  for (const { second, milliseconds } of lags) largest.set(second, Math.max(largest.get(second) ?? 0, milliseconds));
  return [...largest].sort(([one], [other]) => one - other);
}
