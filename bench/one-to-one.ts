import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { Command } from 'commander';
import { Client as Postgres } from 'pg';
import { EscapementClient } from '../index';
import { providePostgres, provideTemporal } from '../provision';
import { createTestDatabase } from '../testing';

interface Options {
  firings: number;
  schedules: number;
  kill: boolean;
}

/**
 * Two trigger processes fire a thousand times, and the bench may kill one of them meanwhile. Then Postgres and Temporal
 * must agree one to one. Run it with `npm run build && npx tsx bench/one-to-one.ts --firings 1000 --kill`.
 */
async function main(): Promise<void> {
  const options = new Command()
    .option('--firings <count>', 'how many to wait for', Number, 1_000)
    .option('--schedules <count>', 'schedules that fire each second', Number, 25)
    .option('--kill', 'kill one of the triggers with SIGKILL half-way', false)
    .parse()
    .opts<Options>();
  const onProgress = (line: string) => console.error(line);
  const postgres = await providePostgres({ databaseUrl: process.env.DATABASE_URL, onProgress });
  const temporal = await provideTemporal({ address: process.env.TEMPORAL_ADDRESS, onProgress });
  const database = await createTestDatabase({ databaseUrl: postgres.databaseUrl });
  try {
    const result = await fire(database.databaseUrl, temporal.address, options);
    console.log(JSON.stringify(result, null, 2));
    process.exitCode = result.agree ? 0 : 1;
  } finally {
    await database.drop();
    await temporal.stop();
    await postgres.stop();
  }
}

async function fire(databaseUrl: string, address: string, options: Options) {
  const taskQueue = `one-to-one-${Date.now()}`;
  const nativeConnection = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    connection: nativeConnection,
    taskQueue,
    workflowsPath: require.resolve('./workflows'),
  });
  const working = worker.run();
  const sql = new Postgres({ connectionString: databaseUrl });
  await sql.connect();
  const triggers = [startTrigger(databaseUrl, address), startTrigger(databaseUrl, address)];
  const client = new EscapementClient({ connectionString: databaseUrl });
  const scheduleIds = Array.from({ length: options.schedules }, (_, index) => `${taskQueue}-${index}`);
  for (const scheduleId of scheduleIds) {
    await client.create({
      scheduleId,
      spec: { cron: '* * * * * *' },
      action: { type: 'startWorkflow', workflowType: 'noop', taskQueue },
      policies: { overlap: 'ALLOW_ALL' },
    });
  }

  const claimed = () => count(sql, 'true');
  await until(async () => (await claimed()) >= options.firings / 2);
  if (options.kill) await killInMidFlight(triggers[0]!, sql);
  await until(async () => (await claimed()) >= options.firings);
  for (const scheduleId of scheduleIds) await client.getHandle(scheduleId).pause();
  await until(async () => (await count(sql, `state in ('buffered', 'claimed', 'linked')`)) === 0);

  const result = await compare(sql, address, taskQueue);
  for (const trigger of triggers) trigger.kill('SIGTERM');
  await Promise.all(triggers.map((trigger) => trigger.exitCode ?? trigger.signalCode ?? once(trigger, 'exit')));
  await client.close();
  await sql.end();
  worker.shutdown();
  await working;
  await nativeConnection.close();
  return { triggers: triggers.length, killed: options.kill ? 1 : 0, ...result };
}

/** Freezes a trigger again and again until it holds claims that it has not linked, and then kills it. */
async function killInMidFlight(trigger: ChildProcess, sql: Postgres): Promise<void> {
  await until(async () => {
    trigger.kill('SIGSTOP');
    // Within this time, the other trigger links its own claims.
    await new Promise((resolve) => setTimeout(resolve, 300));
    if ((await count(sql, `state = 'claimed' and claimed_at < now() - interval '250 ms'`)) > 0) return true;
    trigger.kill('SIGCONT');
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 400));
    return false;
  });
  trigger.kill('SIGKILL');
}

/** Joins the starts in Postgres with the workflows in Temporal, by workflow ID and first run ID. */
async function compare(sql: Postgres, address: string, taskQueue: string) {
  const { rows } = await sql.query(
    `select workflow_id, run_id, state, recovery is not null as recovered,
       extract(epoch from linked_at - claimed_at) as seconds from escapement.firings`,
  );
  const ledger = new Map(rows.map((row) => [row.workflow_id, row.run_id]));
  const connection = await Connection.connect({ address });
  const runs: { workflowId: string; runId: string }[] = [];
  // Visibility lags a little behind the history, so runs are listed until two lists in a row have the same length.
  await until(async () => {
    const listed = runs.length;
    runs.length = 0;
    const query = `TaskQueue = '${taskQueue}'`;
    for await (const run of new Client({ connection }).workflow.list({ query, pageSize: 1_000 })) runs.push(run);
    if (runs.length >= rows.length && runs.length === listed) return true;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return false;
  }).finally(() => connection.close());
  const missing = rows.filter((row) => !runs.some((run) => run.workflowId === row.workflow_id)).length;
  const extra = runs.filter((run) => ledger.get(run.workflowId) !== run.runId).length;
  return {
    firings: rows.length,
    closed: rows.filter((row) => row.state === 'closed').length,
    workflows: runs.length,
    workflowIds: new Set(runs.map((run) => run.workflowId)).size,
    missing,
    extra,
    recovered: rows.filter((row) => row.recovered).length,
    longestSecondsFromClaimToLink: Math.max(...rows.map((row) => Number(row.seconds))),
    agree: missing === 0 && extra === 0 && rows.length === runs.length,
  };
}

function startTrigger(databaseUrl: string, address: string): ChildProcess {
  const command = join(__dirname, '..', 'dist', 'cli', 'main.js');
  const env = { ...process.env, DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: address, ESCAPEMENT_LOG_LEVEL: 'warn' };
  return spawn(process.execPath, [command, 'run'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
}

async function count(sql: Postgres, condition: string): Promise<number> {
  const { rows } = await sql.query(`select count(*)::int as count from escapement.firings where ${condition}`);
  return rows[0].count;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 300_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('gave up after five minutes');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

void main();
