import { Command } from 'commander';
import { Pool } from 'pg';
import { EscapementClient } from '../index';
import { providePostgres, provideTemporal } from '../provision';
import { createTestDatabase } from '../testing';
import { pinoLogger, Trigger } from '../trigger';

/**
 * What a trigger costs Postgres while nothing is due: statements a second, BEGIN and COMMIT counted, and the locks it
 * holds. `npx tsx bench/idle.ts --schedules 1000 --seconds 60`.
 */
async function main(): Promise<void> {
  const options = new Command()
    .option('--schedules <count>', 'live schedules, none of which is due', Number, 1_000)
    .option('--seconds <count>', 'how long to watch', Number, 60)
    .parse()
    .opts<{ schedules: number; seconds: number }>();
  const onProgress = (line: string) => console.error(line);
  const postgres = await providePostgres({ databaseUrl: process.env.DATABASE_URL, onProgress });
  const temporal = await provideTemporal({ address: process.env.TEMPORAL_ADDRESS, onProgress });
  const database = await createTestDatabase({ databaseUrl: postgres.databaseUrl });
  try {
    const result = await watch(database.databaseUrl, temporal.address, options);
    console.log(JSON.stringify(result));
    process.exitCode = result.statementsPerSecond <= 2 && result.locksSeen === 0 ? 0 : 1;
  } finally {
    await database.drop();
    await temporal.stop();
    await postgres.stop();
  }
}

async function watch(databaseUrl: string, address: string, options: { schedules: number; seconds: number }) {
  const pool = new Pool({ connectionString: databaseUrl });
  const client = new EscapementClient({ pool });
  for (let index = 0; index < options.schedules; index++) {
    await client.create({
      scheduleId: `idle-${index}`,
      spec: { cron: `0 0 1 ${1 + ((new Date().getUTCMonth() + 6) % 12)} *` },
      action: { type: 'startWorkflow', workflowType: 'never', taskQueue: 'idle' },
    });
  }
  const counting = new CountingPool(databaseUrl);
  const trigger = await Trigger.create({ pool: counting, connection: { address }, logger: pinoLogger('warn') });
  const running = trigger.run();
  // The first seconds set the trigger up: partitions, the first heartbeat.
  await seconds(3);
  counting.statements = 0;
  const startedAt = Date.now();
  let locksSeen = 0;
  for (let second = 0; second < options.seconds; second++) {
    await seconds(1);
    const { rows } = await pool.query(
      `select count(*)::int as locks from pg_locks l join pg_stat_activity a using (pid)
       where a.application_name = 'escapement-idle' and l.locktype in ('relation', 'tuple', 'advisory') and a.state <> 'active'`,
    );
    locksSeen += rows[0].locks;
  }
  const elapsed = (Date.now() - startedAt) / 1_000;
  const result = {
    ...options,
    statements: counting.statements,
    statementsPerSecond: Math.round((counting.statements / elapsed) * 100) / 100,
    locksSeen,
    cpuPercent: Math.round((process.cpuUsage().user / 1e6 / process.uptime()) * 1_000) / 10,
  };
  trigger.shutdown();
  await running;
  await counting.end();
  await pool.end();
  return result;
}

/** A pool that counts every statement that goes through it. */
class CountingPool extends Pool {
  statements = 0;
  constructor(connectionString: string) {
    super({ connectionString, application_name: 'escapement-idle' });
  }
  override connect(): Promise<never>;
  override async connect() {
    const client = await super.connect();
    const count = () => {
      this.statements += 1;
    };
    return new Proxy(client, {
      get(target, property) {
        if (property === 'query') count();
        const value = Reflect.get(target, property);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    }) as never;
  }
}

function seconds(count: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, count * 1_000));
}

void main();
