import { DEFAULTS } from '../../core/defaults';
import type { Bench } from '../lib/bench';
import { workflowIdAt } from '../lib/calendar';
import type { Child } from '../lib/child';
import { allClosed } from '../lib/closed';
import { firstTaskTimes } from '../lib/histories';
import type { Ledger } from '../lib/ledger';
import { type Load, loadEachSecond } from '../lib/load';
import { overTime } from '../lib/plots';
import { check, figure, verdict } from '../lib/result';
import { defineScene } from '../lib/scene';
import { percentile } from '../lib/statistics';
import { startTrigger } from '../lib/trigger-process';
import { at } from '../lib/wait';

interface Size {
  /** Schedules that fire each second. */
  schedules: number;
  forSeconds: number;
  /** When one of the triggers is killed. */
  killAfterSeconds: number;
  rounds: number;
}

/** One firing under load. */
interface Lag {
  /** Seconds of its nominal time since the load began. */
  second: number;
  milliseconds: number;
  /** Whether it was taken over from the trigger that was killed. */
  recovered: boolean;
}

export const kill = defineScene<Size>({
  name: 'kill',
  title: 'Lag of the first workflow task under load when one of two triggers is killed, beside the same without a kill',
  full: { schedules: 100, forSeconds: 60, killAfterSeconds: 20, rounds: 3 },
  quick: { schedules: 3, forSeconds: 4, killAfterSeconds: 2, rounds: 1 },

  async run(bench, size) {
    await bench.worker();
    const undisturbed: Lag[][] = [];
    const killed: Lag[][] = [];
    for (let round = 0; round < size.rounds; round++) {
      for (const kills of [round % 2 === 1, round % 2 === 0]) {
        bench.progress(`round ${round + 1} of ${size.rounds}: ${kills ? 'one of two triggers is killed' : 'no kill'}`);
        (kills ? killed : undisturbed).push(await lagsUnderLoad(bench, size, kills));
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
                atMost: DEFAULTS.trigger.staleAfterMilliseconds,
              }),
            ]
          : []),
        verdict('p50 of the rest, beyond that without a kill', 'ms', beyond(rest, 0.5)),
        verdict('p99 of the rest, beyond that without a kill', 'ms', beyond(rest, 0.99)),
      ],
      checks: [
        check(
          'each occurrence fired once',
          all.length === 2 * size.rounds * size.schedules * size.forSeconds,
          `${all.length} firings`,
        ),
        check(
          'none before its time',
          all.every(({ milliseconds }) => milliseconds >= 0),
        ),
      ],
      notes: [
        `${size.schedules} schedules fire each second for ${size.forSeconds} s; the kill comes after ${size.killAfterSeconds} s.`,
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

const BUSY_WITHIN_MILLISECONDS = 5_000;

function lagsUnderLoad(bench: Bench, size: Size, kills: boolean): Promise<Lag[]> {
  const { address } = bench.servers;
  return bench.withLedger(async (ledger) => {
    const { databaseUrl } = ledger;
    return bench.during(await startTrigger({ databaseUrl, address }), async (victim) =>
      bench.during(await startTrigger({ databaseUrl, address }), async () => {
        const load = await loadEachSecond(ledger, { schedules: size.schedules, forSeconds: size.forSeconds });
        await at(load.from + size.killAfterSeconds * 1_000);
        if (kills) await killWhileBusy(victim, ledger);
        await allClosed(ledger, load.prefix, size.schedules * size.forSeconds);
        return lagsOf(bench, ledger, load);
      }),
    );
  });
}

/** Kill it when it holds claims that it has not linked; after a while in any case. */
async function killWhileBusy(victim: Child, ledger: Ledger): Promise<void> {
  const id = /"triggerId":"([^"]+)"/.exec(victim.log())![1];
  const deadline = Date.now() + BUSY_WITHIN_MILLISECONDS;
  while (Date.now() < deadline && (await ledger.count(`state = 'claimed' and owner = $1`, [id])) === 0);
  await victim.kill();
}

async function lagsOf({ connection, servers }: Bench, ledger: Ledger, load: Load): Promise<Lag[]> {
  const rows = await ledger.query<{ schedule_id: string; scheduled_time: Date; recovered: boolean }>(
    `select schedule_id, scheduled_time, recovery is not null as recovered from escapement.firings
     where starts_with(schedule_id, $1)`,
    [load.prefix],
  );
  const workflowIds = rows.map((row) => workflowIdAt(row.schedule_id, row.scheduled_time.getTime()));
  const times = await firstTaskTimes(connection, servers.namespace, workflowIds);
  return rows.map((row, index) => ({
    second: (row.scheduled_time.getTime() - load.from) / 1_000,
    milliseconds: times[index]! - row.scheduled_time.getTime(),
    recovered: row.recovered,
  }));
}

/** The largest lag of each second. */
function courseOf(lags: Lag[]): [number, number][] {
  const largest = new Map<number, number>();
  for (const { second, milliseconds } of lags) largest.set(second, Math.max(largest.get(second) ?? 0, milliseconds));
  return [...largest].sort(([one], [other]) => one - other);
}
