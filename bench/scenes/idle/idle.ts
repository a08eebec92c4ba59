import { Trigger } from '../../../trigger';
import { pinoLogger } from '../../../trigger/logging';
import type { Bench } from '../../lib/bench';
import { multiply } from '../../lib/fill/multiply';
import type { Ledger } from '../../lib/ledger';
import { ACTION } from '../../lib/names';
import { check, type Figure, figure, ratio, type Verdict, verdict } from '../../lib/result';
import { defineScene } from '../../lib/scene';
import { TELLS_USAGE } from '../../lib/usage/process-usage';
import { type Idle, type IdleSize, watch } from './watch';

export const idle = defineScene<IdleSize>({
  name: 'idle',
  title: 'What `escapement run` uses while nothing is due, by the number of schedules, beside the same with none',
  full: { counts: [0, 1, 1_000, 100_000, 1_000_000], rounds: 3, settleSeconds: 10, watchSeconds: 70 },
  quick: { counts: [0, 20], rounds: 1, settleSeconds: 1, watchSeconds: 3 },

  async run(bench, size) {
    const found = new Map<number, Idle[]>();
    for (const count of size.counts) {
      bench.progress(`idle: ${count} schedules`);
      const rounds = await bench.withLedger(async (ledger) => {
        if (count > 0) await createSchedules(bench, ledger, count);
        const watched: Idle[] = [];
        for (let round = 0; round < size.rounds; round++) watched.push(await watch(bench, ledger, size));
        return watched;
      });
      found.set(count, rounds);
    }
    const locks = [...found.values()].flat().reduce((sum, one) => sum + one.locks, 0);
    return {
      figures: [...found].flatMap(([count, rounds]) => figuresOf(count, rounds)),
      verdicts: verdictsOf(found),
      checks: [check('no session of an idle trigger holds a lock', locks === 0, `${locks} seen`)],
      notes: [
        'All but one of the schedules are set up by SQL, as copies of the one.',
        'CPU of Postgres is that of the trigger’s sessions.',
        ...(TELLS_USAGE ? [] : ['This system does not tell what a process uses.']),
      ],
      plots: [],
    };
  },
});

async function createSchedules(bench: Bench, ledger: Ledger, count: number): Promise<void> {
  // The schedules are due in half a year.
  const month = 1 + ((new Date().getUTCMonth() + 6) % 12);
  await ledger.client.create({ scheduleId: 'idle', spec: { cron: `0 0 1 ${month} *` }, action: ACTION });
  // This trigger reads the new schedule before it is copied, so that the measured trigger finds no new ones.
  const trigger = await Trigger.create({
    connectionString: ledger.databaseUrl,
    connection: { address: bench.servers.address },
    logger: pinoLogger('error'),
  });
  await trigger.passes.heartbeat();
  await trigger.passes.claim();
  await trigger.close();
  await ledger.query('delete from escapement.triggers');
  if (count > 1) await multiply(ledger, 'idle', count);
}

function figuresOf(count: number, rounds: Idle[]): Figure[] {
  const series = `${count.toLocaleString('en')} schedules`;
  const of = (metric: string, unit: string, key: keyof Idle) =>
    figure(
      series,
      metric,
      unit,
      rounds.map((one) => one[key]),
    );
  const usage = [
    of('CPU', '% of a core', 'cpuPercent'),
    of('resident memory', 'MB', 'residentMegabytes'),
    of('Postgres CPU', '% of a core', 'postgresPercent'),
  ].filter(({ repeats }) => repeats.every(Number.isFinite));
  return [of('statements', '/s', 'statementsPerSecond'), ...(TELLS_USAGE ? usage : [])];
}

function verdictsOf(found: Map<number, Idle[]>): Verdict[] {
  const counts = [...found.keys()];
  const most = Math.max(...counts);
  const of = (count: number, key: keyof Idle) => found.get(count)!.map((one) => one[key]);
  const name = most.toLocaleString('en');
  const verdicts = [
    ratio(
      `statements at ${name} schedules, of those at none`,
      of(most, 'statementsPerSecond'),
      of(0, 'statementsPerSecond'),
      // The number of schedules must not matter. A difference of 5 % is allowed, since the measurement may begin and
      // end between two passes.
      { atMost: 1.05 },
    ),
  ];
  if (!TELLS_USAGE) return verdicts;
  const few = found.has(1_000) ? 1_000 : 0;
  return [
    ...verdicts,
    verdict(`CPU at ${name} schedules`, '% of a core', of(most, 'cpuPercent'), { atMost: 1 }),
    ratio(
      `memory at ${name} schedules, of that at ${few.toLocaleString('en')}`,
      of(most, 'residentMegabytes'),
      of(few, 'residentMegabytes'),
      { atMost: 1.2 },
    ),
    verdict(`memory at ${name} schedules`, 'MB', of(most, 'residentMegabytes'), { atMost: 150 }),
    verdict(`CPU of Postgres at ${name} schedules`, '% of a core', of(most, 'postgresPercent')),
  ].filter(({ repeats }) => repeats.every(Number.isFinite));
}
