import type { Bench } from '../lib/bench';
import { loadEachSecond } from '../lib/fill/load';
import { startHole } from '../lib/hole';
import type { Ledger } from '../lib/ledger';
import { freshName } from '../lib/names';
import { check, figure, ratio, verdict } from '../lib/result';
import { defineScene } from '../lib/scene';
import { settle } from '../lib/settle';
import { startMeasuredTrigger } from '../lib/trigger-process';
import { at, seconds } from '../lib/wait';

interface Size {
  /** The number of schedules in each namespace. */
  schedules: number;
  /** How long the healthy schedules fire each second. */
  seconds: number;
  /** The first of these seconds, which are not measured. */
  warmUpSeconds: number;
  rounds: number;
}

/** The results of the healthy namespace in one round. */
interface Round {
  lagP50: number;
  lagP99: number;
  endAfter: number;
  skipped: number;
  answered: number;
}

const SILENT = 'bench-silent';

export const namespaces = defineScene<Size>({
  name: 'namespaces',
  title: 'A healthy namespace beside one that never answers and one that refuses all, beside itself alone',
  full: { schedules: 20, seconds: 20, warmUpSeconds: 5, rounds: 12 },
  quick: { schedules: 3, seconds: 4, warmUpSeconds: 1, rounds: 1 },

  async run(bench, size) {
    await bench.worker();
    const alone: Round[] = [];
    const beside: Round[] = [];
    for (let round = 0; round < size.rounds; round++) {
      const sides = [
        async () => alone.push(await healthyAlone(bench, size)),
        async () => beside.push(await healthyBeside(bench, size)),
      ];
      for (const side of round % 2 === 0 ? sides : sides.reverse()) {
        await settle(bench.servers, 0);
        await side();
      }
      bench.progress(
        `round ${round + 1} of ${size.rounds}: lag p50 ${alone.at(-1)!.lagP50} ms alone, ${beside.at(-1)!.lagP50} ms beside`,
      );
    }
    const of = (rounds: Round[], what: keyof Round) => rounds.map((round) => round[what]);
    const figuresOf = (series: string, rounds: Round[]) => [
      figure(series, 'lag p50', 'ms', of(rounds, 'lagP50')),
      figure(series, 'lag p99', 'ms', of(rounds, 'lagP99')),
      figure(series, 'end recorded after', 'ms', of(rounds, 'endAfter')),
      figure(series, 'skipped', '', of(rounds, 'skipped')),
    ];
    const bar = { atMost: 1.1 };
    const skippedMore = alone.map((round, index) => beside[index]!.skipped - round.skipped);
    const expected = size.schedules * size.seconds;
    return {
      figures: [...figuresOf('alone', alone), ...figuresOf('beside a silent and an erring one', beside)],
      verdicts: [
        ratio('lag p50, of that alone', of(beside, 'lagP50'), of(alone, 'lagP50'), bar),
        ratio('lag p99, of that alone', of(beside, 'lagP99'), of(alone, 'lagP99'), bar),
        ratio('end recorded after, of that alone', of(beside, 'endAfter'), of(alone, 'endAfter'), bar),
        verdict('skipped, beyond those alone', '', skippedMore, { atMost: 0 }),
      ],
      checks: [
        check(
          'each occurrence of the healthy one has its one answer',
          [...alone, ...beside].every(({ answered }) => answered === expected),
          `${expected} a round`,
        ),
      ],
      notes: [],
      plots: [],
    };
  },
});

function healthyAlone(bench: Bench, size: Size): Promise<Round> {
  return bench.withLedger((ledger) => measure(bench, ledger, size, {}));
}

async function healthyBeside(bench: Bench, size: Size): Promise<Round> {
  const hole = await startHole();
  bench.cleanup.add('closing what never answers', hole.close);
  try {
    return await bench.withLedger(async (ledger) => {
      const { schedules } = size;
      await loadEachSecond(ledger, { schedules, namespace: SILENT });
      // The server has no namespace of this name, and answers each call for it with an error.
      await loadEachSecond(ledger, { schedules, namespace: freshName('bench-erring') });
      return measure(bench, ledger, size, { [SILENT]: { connection: { address: hole.address } } });
    });
  } finally {
    await hole.close();
  }
}

async function measure(
  bench: Bench,
  ledger: Ledger,
  { schedules, seconds: forSeconds, warmUpSeconds }: Size,
  others: Record<string, { connection: { address: string } }>,
): Promise<Round> {
  const { address } = bench.servers;
  const trigger = await startMeasuredTrigger({ databaseUrl: ledger.databaseUrl, address, namespaces: others });
  return bench.during(trigger, async () => {
    // Pre-start would hide the lag, and SKIP shows whether ends are recorded in time.
    const policies = { overlap: 'SKIP', preStart: false } as const;
    const load = await loadEachSecond(ledger, { schedules, forSeconds, policies });
    const from = load.from + warmUpSeconds * 1_000;
    await at(from);
    let open = 0;
    let samples = 0;
    for (; Date.now() < load.to; samples++) {
      open += await ledger.count(`state = 'linked' and starts_with(schedule_id, $1)`, [load.prefix]);
      await seconds(SAMPLE_SECONDS);
    }
    await seconds(SETTLED_AFTER_SECONDS);
    const [row] = await ledger.query<Omit<Round, 'endAfter'>>(
      `select percentile_cont(0.5) within group (order by lag) filter (where measured) as "lagP50",
        percentile_cont(0.99) within group (order by lag) filter (where measured) as "lagP99",
        (count(*) filter (where state = 'skipped'))::int as skipped, count(*)::int as answered
      from (select state, scheduled_time >= $2 as measured,
          extract(epoch from linked_at - scheduled_time)::float8 * 1000 as lag
        from escapement.firings where starts_with(schedule_id, $1)) f`,
      [load.prefix, new Date(from)],
    );
    // The number of open firings is the rate of firings times the duration of each.
    return { ...row!, endAfter: (open / samples / schedules) * 1_000 };
  });
}

const SAMPLE_SECONDS = 0.2;
const SETTLED_AFTER_SECONDS = 5;
