/**
 * What the samples of the pages leave to their readers: a client, a pool, a definition. Each has its real type, so that
 * samples are checked against the packed package. Declarations for a single page are in the folder of that page.
 */
import type { Client } from '@temporalio/client';
import type { Pool as PgPool } from 'pg';

declare global {
  // Names that pages use without importing them again.
  const EscapementClient: typeof import('escapement').EscapementClient;
  type EscapementClient = import('escapement').EscapementClient;
  type ScheduleOptions = import('escapement').ScheduleOptions;
  const defineSchedule: typeof import('escapement').defineSchedule;
  const Trigger: typeof import('escapement/trigger').Trigger;
  const EscapementPlugin: typeof import('escapement/plugin').EscapementPlugin;
  const withLease: typeof import('escapement/activity').withLease;
  const leaseInterceptor: typeof import('escapement/activity').leaseInterceptor;
  const currentFiring: typeof import('escapement/workflow').currentFiring;
  const Worker: typeof import('@temporalio/worker').Worker;
  const Pool: typeof PgPool;
  const readFile: typeof import('node:fs/promises').readFile;

  // How the ledger and Temporal are reached.
  const client: import('escapement').EscapementClient;
  const operator: import('escapement').EscapementClient;
  const pool: PgPool;
  const connectionString: string;
  const connection: NonNullable<import('escapement/trigger').TriggerOptions['connection']>;
  const temporal: Client;
  const temporalClient: Client;
  const apiKey: string;

  // What is scheduled, and its workers.
  const handle: import('escapement').ScheduleHandle;
  const nightly: import('escapement').ScheduleOptions;
  const scheduleId: string;
  const spec: import('escapement').ScheduleOptions['spec'];
  const action: import('escapement').ScheduleOptions['action'];
  const taskQueue: string;
  const workflowsPath: string;
  const activities: Record<string, (...args: never[]) => Promise<unknown>>;

  // What a call is about.
  const letterId: string;
  const yesterday: Date;
  const to: Date;
  const amount: number;
  function payOut(key: string, amount: number): Promise<void>;
}
