import type { Client } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import type { PostgresOptions } from '../store/connection';
import type { ScheduleInterceptors } from './interceptors';

/** How a client connects to the ledger, and in whose name it acts. */
export interface EscapementClientOptions extends PostgresOptions {
  /**
   * Name of whoever makes the changes. The name is stored in `schedule_versions.actor` and with manual firings.
   * @default
   * `<user>@<host>`
   */
  identity?: string;
  /** Encodes the arguments of schedules, so that the workers can decode them. @default Temporal's JSON converter */
  dataConverter?: DataConverter;
  /** Temporal namespace for schedules that name none. @default 'default' */
  namespace?: string;
  /**
   * The one tenant that this client may read and write. Schedules that the client creates belong to this tenant. For
   * this client, other tenants' schedules, firings and dead letters do not exist. Schedule IDs are still unique across
   * all tenants. @default all tenants
   */
  tenant?: string;
  /**
   * A Temporal client that a redrive uses to check what would run again before it is requested. @default none: the
   * trigger checks
   */
  temporal?: Client;
  /**
   * Temporal's interceptors for `create`, as its `Client` or `ScheduleClient` takes them. The headers that they set are
   * stored with the schedule, also across updates, and are sent with every workflow that it starts. `apply` calls no
   * interceptors.
   *
   * @default none
   */
  interceptors?: ScheduleInterceptors;
  /** The time of a change, for tests with their own clock. @default the database's clock */
  now?: () => Date;
}
