import { randomBytes } from 'node:crypto';
import { EscapementClient } from '../client/client';
import { openStore } from '../store/connection';
import { writeSettings } from '../store/settings';
import { pinoLogger } from '../trigger/logging';
import { Admission } from './admission';
import { createTestDatabase } from './database';
import type { TestDatabase } from './database-options';
import { TemporalDouble } from './double/temporal-double';
import { instantOf } from './instant';
import type { TestScheduleEnvironmentOptions } from './options';
import { RealTemporal } from './real-temporal';
import { RoutedTemporal } from './routed-temporal';
import { Steps } from './steps';
import { TriggerSeat } from './trigger-seat';
import { VirtualClock } from './virtual-clock';
import type { World } from './world';

export interface Parts {
  taskQueue: string;
  databaseUrl: string;
  client: EscapementClient;
  world: World;
  routed: RoutedTemporal;
  steps: Steps;
  admission: Admission;
  /** Release all parts, even if releasing one of them fails. */
  close(): Promise<void>;
}

/** Opens the parts; if this fails, parts that were already opened are released again. */
export async function openParts(options: TestScheduleEnvironmentOptions): Promise<Parts> {
  const start = instantOf(options.startTime ?? Date.now(), 'startTime ');
  const clock = new VirtualClock(start);
  const taskQueue = options.worker?.taskQueue ?? `escapement-test-${randomBytes(4).toString('hex')}`;
  const steps = new Steps(options.activities ?? {});
  const opened: (() => Promise<void>)[] = [];
  const close = () => closeAll(opened.reverse());
  try {
    const { databaseUrl, drop } = await openDatabase(options.database);
    opened.push(drop);
    const real = await openReal(options, taskQueue, steps, start);
    if (real) opened.push(() => real.stop());

    const ledger = { connectionString: withGenericPlans(databaseUrl), preparedStatements: true };
    const store = openStore(ledger);
    opened.push(() => store.close());
    const now = () => new Date(clock.now());
    const client = new EscapementClient({ connectionString: databaseUrl, identity: 'test', now });
    opened.push(() => client.close());

    const { namespaces, searchAttributes, preStart = false } = options;
    const double = new TemporalDouble(clock, {
      ...(namespaces ? { namespaces } : {}),
      ...(searchAttributes ? { searchAttributes } : {}),
    });
    const admission = new Admission(client, obstacleOf(double, real, taskQueue, options.taskQueues));
    const routed = new RoutedTemporal(double, real?.port, ({ firing, action }) =>
      admission.admit(firing.scheduleId, action.workflowType, action.taskQueue),
    );
    const logger = options.logger ?? pinoLogger('silent');
    // Time may advance by years, and all firings of these years are returned, so no month is retired.
    await writeSettings(store, { retentionMilliseconds: Number.POSITIVE_INFINITY });
    const seat = new TriggerSeat({ ...ledger, clock, logger }, routed, preStart);
    opened.push(() => seat.leave());
    const world: World = { clock, store, seat, double, real, isTemporalAway: () => routed.isAway };
    return { taskQueue, databaseUrl, client, world, routed, steps, admission, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function closeAll(closing: (() => Promise<void>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const close of closing) await close().catch((error) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}

async function openDatabase(database: string | TestDatabase | undefined): Promise<TestDatabase> {
  if (typeof database === 'object') return { databaseUrl: database.databaseUrl, drop: async () => {} };
  return createTestDatabase(database === undefined ? {} : { databaseUrl: database });
}

async function openReal(
  options: TestScheduleEnvironmentOptions,
  taskQueue: string,
  steps: Steps,
  start: number,
): Promise<RealTemporal | undefined> {
  const { workflowsPath, workflowBundle, environment, plugins } = options;
  if (workflowsPath === undefined && workflowBundle === undefined && environment === undefined) return undefined;
  return RealTemporal.start(environment, options.testServerPath, start, {
    ...options.worker,
    ...(workflowsPath === undefined ? {} : { workflowsPath }),
    ...(workflowBundle === undefined ? {} : { workflowBundle }),
    ...(plugins === undefined ? {} : { plugins }),
    taskQueue,
    activities: steps.activities,
  });
}

/** Says what to do about a workflow that no double, no worker of the environment and no worker of the test runs. */
function obstacleOf(double: TemporalDouble, real: RealTemporal | undefined, taskQueue: string, others: string[] = []) {
  const polled = new Set([...(real?.hasWorker ? [taskQueue] : []), ...(real ? others : [])]);
  return (workflowType: string, queue: string): string | undefined => {
    if (double.plays(workflowType) || polled.has(queue)) return undefined;
    if (real?.hasWorker) return `use env.taskQueue ('${taskQueue}'), or play it with env.double('${workflowType}')`;
    return `play it with env.double('${workflowType}'), or give TestScheduleEnvironment.create a workflowsPath`;
  };
}

/** Planning a statement for each month's partition takes longer than running it on the few rows of a test. */
function withGenericPlans(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  const options = url.searchParams.get('options');
  url.searchParams.set('options', [options, '-c plan_cache_mode=force_generic_plan'].filter(Boolean).join(' '));
  return url.href;
}
