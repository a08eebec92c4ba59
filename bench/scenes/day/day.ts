import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { oneServer } from '../../../temporal/temporal';
import { Trigger } from '../../../trigger';
import type { Bench } from '../../lib/bench';
import { multiply } from '../../lib/fill/multiply';
import { InstantTemporal } from '../../lib/instant-temporal';
import type { Ledger } from '../../lib/ledger';
import { bytesOfFirings, walPosition } from '../../lib/measure/disk-use';
import { ACTION } from '../../lib/names';
import { percentile } from '../../lib/report/statistics';
import { check, figure, ratio } from '../../lib/result';
import { defineScene } from '../../lib/scene';
import { withServerSetting } from '../../lib/server-setting';
import { SILENT } from '../../lib/silent';
import { Hours } from './hours';
import { PassCosts } from './pass-costs';

interface Size {
  /** The number of schedules. Each fires once an hour. */
  schedules: number;
  hours: number;
}

interface Hour {
  costs: PassCosts;
  /** What the process holds once garbage is collected, in bytes. */
  heap: number;
}

const HOUR = 3_600_000;
const START = Date.UTC(2026, 2, 1);
/** The minutes past the hour at which a few schedules fire. All others fire on the hour. */
const OTHER_MINUTES = [5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55];
/** The share of schedules that fire at each of these minutes. */
const SHARE_OF_A_MINUTE = 0.005;
/** Passes that take a batch of firings. They run often enough in an hour for a p99. */
const OF_BATCHES = ['claim', 'dispatch', 'observe'];
/** Passes that run once a minute: of 60 values the p99 would be the largest, so their medians are compared. */
const OF_MINUTES = ['reconcile', 'lower floors', 'reset', 'redrive', 'alert', 'heartbeat', 'sweep'];
const NAP_SECONDS = 2;
const MOST_TIMES = { atMost: 1.2 };

export const day = defineScene<Size>({
  name: 'day',
  title: 'A day of 100,000 hourly schedules: what each pass costs in the last hour, beside the first',
  full: { schedules: 100_000, hours: 24 },
  quick: { schedules: 400, hours: 2 },

  async run(bench, { schedules, hours }) {
    return bench.withLedger(async (ledger) => {
      await fill(ledger, schedules);
      const begunAt = Date.now();
      const begunWal = await walPosition(ledger);
      // A day passes within minutes here, so autovacuum runs more often too.
      const nap = { name: 'autovacuum_naptime', value: `${NAP_SECONDS}s` };
      const lived = await withServerSetting(bench.cleanup, ledger, nap, () => liveThrough(bench, ledger, hours));
      const seconds = (Date.now() - begunAt) / 1_000;
      const wal = (await walPosition(ledger)) - begunWal;
      const firings = await ledger.count(`state = 'closed' and outcome = 'completed'`);
      const [first, last] = [lived[0]!, lived.at(-1)!];
      const at = (hour: Hour, pass: string, share: number) => [percentile(hour.costs.of(pass), share)];
      const both = (pass: string, metric: string, share: number) => [
        figure('first hour', `${pass}, ${metric}`, 'ms', at(first, pass, share)),
        figure('last hour', `${pass}, ${metric}`, 'ms', at(last, pass, share)),
      ];
      const grown = (pass: string, metric: string, share: number) => {
        const what = `${pass}: ${metric} in the last hour, of that in the first`;
        return ratio(what, at(last, pass, share), at(first, pass, share), MOST_TIMES);
      };
      return {
        figures: [
          ...OF_BATCHES.flatMap((pass) => [...both(pass, 'p50', 0.5), ...both(pass, 'p99', 0.99)]),
          ...OF_MINUTES.flatMap((pass) => both(pass, 'p50', 0.5)),
          figure('first hour', 'heap at its end', 'MB', [first.heap / 1e6]),
          figure('last hour', 'heap at its end', 'MB', [last.heap / 1e6]),
          figure('the day', 'a firing on disk, with indexes', 'bytes', [(await bytesOfFirings(ledger)) / firings]),
          figure('the day', 'WAL a firing', 'bytes', [wal / firings]),
        ],
        verdicts: [
          ...OF_BATCHES.map((pass) => grown(pass, 'p99', 0.99)),
          ...OF_MINUTES.map((pass) => grown(pass, 'p50', 0.5)),
          ratio('heap at the end of the last hour, of that of the first', [last.heap], [first.heap], MOST_TIMES),
        ],
        checks: [check('each firing completed', firings === schedules * hours, `${schedules * hours} firings`)],
        notes: [
          'Temporal is played, by a moved clock that stands while there is work; the ledger is real. The process is the trigger, the played Temporal and the bench.',
          `${hours} hours passed in ${Math.round(seconds)} s. So autovacuum is on with its defaults, but for its nap: ${NAP_SECONDS} s instead of 60 s.`,
          `${Math.round(100 * (1 - SHARE_OF_A_MINUTE * OTHER_MINUTES.length))} % fire at the full hour, the others at ${OTHER_MINUTES.length} minutes between. Each pass of the second kind runs once a minute.`,
          'The WAL is that of the whole server, whose Temporal rests meanwhile, with full pages after each checkpoint.',
        ],
        plots: [],
      };
    });
  },
});

async function fill(ledger: Ledger, schedules: number): Promise<void> {
  const client = ledger.newClient({ now: () => new Date(START - HOUR / 2) });
  const between = Math.max(1, Math.round(schedules * SHARE_OF_A_MINUTE));
  const minutes = [
    { minute: 0, count: schedules - OTHER_MINUTES.length * between },
    ...OTHER_MINUTES.map((minute) => ({ minute, count: between })),
  ];
  for (const { minute, count } of minutes) {
    const scheduleId = `team-hourly-report-${String(minute).padStart(2, '0')}`;
    await client.create({ scheduleId, spec: { cron: `${minute} * * * *`, startAt: new Date(START) }, action: ACTION });
    await multiply(ledger, scheduleId, count);
  }
}

async function liveThrough(bench: Bench, ledger: Ledger, hours: number): Promise<Hour[]> {
  let now = START;
  const clock = { now: () => now, set: (to: number) => (now = to) };
  const temporal = new InstantTemporal(bench.servers.namespace, clock);
  const options = {
    connectionString: ledger.databaseUrl,
    clock,
    logger: SILENT,
    limits: { listPagePauseMilliseconds: 0 },
  };
  const trigger = await Trigger.createOn(options, async () => oneServer(temporal));
  const lives = new Hours(trigger, clock);
  const lived: Hour[] = [];
  try {
    for (let hour = 0; hour < hours; hour++) {
      const costs = new PassCosts();
      await lives.live(START + hour * HOUR, costs);
      lived.push({ costs, heap: heapBytes() });
      bench.progress(`${hour + 1} of ${hours} hours`);
    }
    return lived;
  } finally {
    await trigger.close();
  }
}

/** Collects garbage first, which Node allows only with a flag. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}
