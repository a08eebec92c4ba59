import type { Client } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import type { PostgresOptions } from '../store/connection';
import type { ScheduleInterceptors } from './interceptors';

/** One client for all Temporal namespaces, or a function that returns that of a namespace. */
export type TemporalClients = Client | ((namespace: string) => Client | undefined);

/** How a client connects to the ledger, and in whose name it acts. */
export interface EscapementClientOptions extends PostgresOptions {
  /**
   * Who makes the changes. The ledger stores this name with them, for example in `schedule_versions.actor`.
   * @default `<user>@<host>`
   */
  identity?: string;
  /** Encodes and decodes arguments, memos and step results, as your workers do. @default Temporal's JSON converter */
  dataConverter?: DataConverter;
  /** Temporal namespace for schedules that name none. @default 'default' */
  namespace?: string;
  /**
   * The one tenant that this client may read and write. Schedules that the client creates belong to this tenant. The
   * client treats other tenants' schedules, firings and dead letters as not existing. Schedule IDs are still unique
   * across all tenants. @default all tenants
   */
  tenant?: string;
  /**
   * A Temporal client; or, if namespaces are on several servers, a function that returns the client of a namespace.
   * Before a resume is requested, it reads from Temporal which steps would run again. @default none: only the trigger
   * finds that out
   */
  temporal?: TemporalClients;
  /**
   * Temporal's schedule interceptors, as its `Client` or `ScheduleClient` takes them. Only `create` calls them. The
   * headers that they set are stored, kept by updates, and sent with every workflow that the schedule starts.
   *
   * @default none
   */
  interceptors?: ScheduleInterceptors;
  /** The current time, for tests with their own clock. @default mostly the database's clock, else this process's */
  now?: () => Date;
}
