import { Connection, ScheduleClient } from '@temporalio/client';
import {
  type ProvidedTemporalCluster,
  provideTemporalCluster,
  SECOND_SCHEDULER,
  type TemporalClusterOptions,
} from '../../../provision';
import type { Bench } from '../bench';
import { Child } from '../child';
import type { Cleanup } from '../cleanup';
import type { Ledger } from '../ledger';
import { ACTION } from '../names';
import { inParallel } from '../wait';

/** Escapement and Temporal's two schedulers. Each key is the namespace that the scheduler has on the one server. */
export const SCHEDULERS = {
  ours: 'Escapement',
  first: 'native Schedules V1',
  second: 'native Schedules V2',
} as const;
export type Scheduler = keyof typeof SCHEDULERS;
export const NAMESPACES = Object.keys(SCHEDULERS) as Scheduler[];

const CREATIONS_IN_FLIGHT = 8;

/** Starts a Temporal server on Postgres for this scene alone, since the scene's faults must not hit other scenes. */
export async function startSchedulers(
  { servers, cleanup, progress }: Bench,
  options: Pick<TemporalClusterOptions, 'dynamicConfig' | 'proxy'> = {},
): Promise<{ server: ProvidedTemporalCluster; connection: Connection }> {
  const second = Object.entries(SECOND_SCHEDULER).map(([key, value]) => [key, [{ namespace: 'second', value }]]);
  const server = await provideTemporalCluster({
    ...{ databaseUrl: servers.databaseUrl, namespaces: NAMESPACES, onProgress: progress },
    ...options,
    dynamicConfig: { ...options.dynamicConfig, ...Object.fromEntries(second) },
  });
  cleanup.add('stopping Temporal', () => server.stop());
  const connection = await Connection.connect({ address: server.address });
  cleanup.add('closing a connection to Temporal', () => connection.close());
  return { server, connection };
}

/** Starts, in another process, the one worker that serves all three schedulers. */
export async function startWorker(cleanup: Cleanup, address: string): Promise<Child> {
  const worker = new Child('the worker', [require.resolve('../worker-main.ts'), address, ...NAMESPACES]);
  cleanup.add('stopping the worker', () => worker.stop());
  await worker.says('worker running');
  return worker;
}

/** The schedules that each of the three schedulers gets. */
export interface SameSchedules {
  scheduleIds: readonly string[];
  everySeconds: number;
  /** The first and the last occurrence, in milliseconds since 1970. */
  from: number;
  to: number;
  catchupWindow?: '1 hour';
}

/** @throws {Error} if the first occurrence was due before all schedules had been created */
export async function createForEach(connection: Connection, ledger: Ledger, same: SameSchedules): Promise<void> {
  const { scheduleIds, everySeconds, from, to, catchupWindow } = same;
  const spec = {
    intervals: [{ every: `${everySeconds} seconds` as const }],
    ...{ startAt: new Date(from), endAt: new Date(to) },
  };
  const policies = { overlap: 'ALLOW_ALL' as const, ...(catchupWindow && { catchupWindow }) };
  for (const namespace of NAMESPACES) {
    const client = namespace === 'ours' ? ledger.client : new ScheduleClient({ connection, namespace });
    await inParallel(scheduleIds.length, CREATIONS_IN_FLIGHT, (index) =>
      client.create({ scheduleId: scheduleIds[index]!, spec, action: ACTION, policies }),
    );
  }
  if (Date.now() > from) throw new Error('creating the schedules took too long');
}
