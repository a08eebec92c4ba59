import { Client } from 'pg';
import type { Bench } from '../../lib/bench';
import type { Ledger } from '../../lib/ledger';
import { median } from '../../lib/report/statistics';
import { startTrigger } from '../../lib/trigger-process';
import { countStatements } from '../../lib/usage/counting-proxy';
import { SessionUsage } from '../../lib/usage/postgres-usage';
import { cpuMilliseconds, residentBytes, TELLS_USAGE } from '../../lib/usage/process-usage';
import { seconds } from '../../lib/wait';

export interface IdleSize {
  /** Numbers of live schedules, none of which is due. Each number is measured with a ledger of its own. */
  counts: readonly number[];
  rounds: number;
  /** The first seconds, which are not measured: a trigger that starts creates partitions and prepares statements. */
  settleSeconds: number;
  /** The time that is measured, long enough to include the work that a trigger does once per minute. */
  watchSeconds: number;
}

/** The usage of a trigger while nothing was due. */
export interface Idle {
  statementsPerSecond: number;
  cpuPercent: number;
  /** The CPU that the trigger's sessions use in Postgres. The value is NaN if it cannot be measured. */
  postgresPercent: number;
  residentMegabytes: number;
  /** The number of locks that the trigger's sessions held while they were idle. */
  locks: number;
}

/** Starts a trigger, waits until it is idle, and measures it. */
export async function watch(bench: Bench, ledger: Ledger, size: IdleSize): Promise<Idle> {
  const proxy = await countStatements(ledger.databaseUrl);
  bench.cleanup.add('closing a way to Postgres', () => proxy.close());
  // The observer connects to another database, so that only the trigger's sessions are counted.
  const observer = new Client({ connectionString: bench.servers.databaseUrl });
  await observer.connect();
  try {
    const { address } = bench.servers;
    const sessions = await SessionUsage.of(observer, ledger.name);
    const trigger = await startTrigger({ databaseUrl: proxy.databaseUrl, address });
    return await bench.during(trigger, async () => {
      await seconds(size.settleSeconds);
      return sample(size.watchSeconds, {
        processId: trigger.processId,
        sessions,
        statements: proxy.statements,
        heldLocks: () => heldLocks(observer, ledger.name),
      });
    });
  } finally {
    await observer.end();
    await proxy.close();
  }
}

interface Watched {
  processId: number;
  sessions: SessionUsage | undefined;
  statements(): number;
  heldLocks(): Promise<number>;
}

async function sample(watchSeconds: number, { processId, sessions, statements, heldLocks }: Watched): Promise<Idle> {
  const cpu = () => (TELLS_USAGE ? cpuMilliseconds(processId) : Number.NaN);
  const before = { at: performance.now(), statements: statements(), cpu: cpu() };
  let postgresMilliseconds = (await sessions?.read()) ?? Number.NaN;
  const resident: number[] = [];
  let locks = 0;
  for (let second = 0; second < watchSeconds; second++) {
    await seconds(1);
    if (TELLS_USAGE) resident.push(residentBytes(processId));
    locks += await heldLocks();
    postgresMilliseconds = (await sessions?.read()) ?? Number.NaN;
  }
  const milliseconds = performance.now() - before.at;
  return {
    statementsPerSecond: ((statements() - before.statements) / milliseconds) * 1_000,
    cpuPercent: ((cpu() - before.cpu) / milliseconds) * 100,
    postgresPercent: (postgresMilliseconds / milliseconds) * 100,
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
