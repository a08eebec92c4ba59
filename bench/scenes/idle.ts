import { Client } from 'pg';
import { Trigger } from '../../trigger';
import { pinoLogger } from '../../trigger/logging';
import type { Bench } from '../lib/bench';
import type { Child } from '../lib/child';
import { countStatements } from '../lib/counting-proxy';
import type { Ledger } from '../lib/ledger';
import { multiply } from '../lib/multiply';
import { ACTION } from '../lib/names';
import { cpuMilliseconds, residentBytes, TELLS_USAGE } from '../lib/process-usage';
import { check, type Figure, figure, ratio, type Verdict, verdict } from '../lib/result';
import { defineScene } from '../lib/scene';
import { median } from '../lib/statistics';
import { startTrigger } from '../lib/trigger-process';
import { seconds } from '../lib/wait';

interface Size {
  /** Live schedules, none of which is due; each is watched with a ledger of its own. */
  counts: readonly number[];
  rounds: number;
  /** Not watched: a trigger makes partitions and compiles what it runs often. */
  settleSeconds: number;
  watchSeconds: number;
}

/** What a trigger used while nothing was due. */
interface Idle {
  statementsPerSecond: number;
  cpuPercent: number;
  residentMegabytes: number;
  /** Locks that its sessions held while they did nothing. */
  locks: number;
}

export const idle = defineScene<Size>({
  name: 'idle',
  title: 'What `escapement run` uses while nothing is due, by the number of schedules, beside the same with none',
  full: { counts: [0, 1, 1_000, 100_000, 1_000_000], rounds: 3, settleSeconds: 10, watchSeconds: 60 },
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
        ...(TELLS_USAGE ? [] : ['This system does not tell what a process uses.']),
      ],
      plots: [],
    };
  },
});

async function createSchedules(bench: Bench, ledger: Ledger, count: number): Promise<void> {
  // Half a year away.
  const month = 1 + ((new Date().getUTCMonth() + 6) % 12);
  await ledger.client.create({ scheduleId: 'idle', spec: { cron: `0 0 1 ${month} *` }, action: ACTION });
  // A new schedule is looked at once, and sleeps until it is due from then on: so do its copies.
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

async function watch(bench: Bench, ledger: Ledger, size: Size): Promise<Idle> {
  const proxy = await countStatements(ledger.databaseUrl);
  bench.cleanup.add('closing a way to Postgres', () => proxy.close());
  // Of another database, so that what is counted is the trigger's alone.
  const observer = new Client({ connectionString: bench.servers.databaseUrl });
  await observer.connect();
  try {
    const { address } = bench.servers;
    const trigger = await startTrigger({ databaseUrl: proxy.databaseUrl, address });
    return await bench.during(trigger, async () => {
      await seconds(size.settleSeconds);
      return look(trigger, size.watchSeconds, proxy.statements, () => heldLocks(observer, ledger.name));
    });
  } finally {
    await observer.end();
    await proxy.close();
  }
}

async function look(
  trigger: Child,
  watchSeconds: number,
  statements: () => number,
  heldLocks: () => Promise<number>,
): Promise<Idle> {
  const cpu = () => (TELLS_USAGE ? cpuMilliseconds(trigger.processId) : Number.NaN);
  const before = { at: performance.now(), statements: statements(), cpu: cpu() };
  const resident: number[] = [];
  let locks = 0;
  for (let second = 0; second < watchSeconds; second++) {
    await seconds(1);
    if (TELLS_USAGE) resident.push(residentBytes(trigger.processId));
    locks += await heldLocks();
  }
  const milliseconds = performance.now() - before.at;
  return {
    statementsPerSecond: ((statements() - before.statements) / milliseconds) * 1_000,
    cpuPercent: ((cpu() - before.cpu) / milliseconds) * 100,
    residentMegabytes: median(resident) / 1e6,
    locks,
  };
}

async function heldLocks(observer: Client, database: string): Promise<number> {
  const { rows } = await observer.query(
    `select count(*)::int as locks from pg_locks join pg_stat_activity activity using (pid)
     where activity.datname = $1 and activity.backend_type = 'client backend' and activity.state <> 'active'
       and locktype in ('relation', 'tuple', 'advisory')`,
    [database],
  );
  return rows[0].locks;
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
  const usage = [of('CPU', '% of a core', 'cpuPercent'), of('resident memory', 'MB', 'residentMegabytes')];
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
      // Equal, as far as a minute of two a second can tell.
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
  ];
}
