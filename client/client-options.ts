import type { Client } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import type { PostgresOptions } from '../store/connection';
import type { ScheduleInterceptors } from './interceptors';

/** How a client reaches the ledger, and who it is. */
export interface EscapementClientOptions extends PostgresOptions {
  /** Who makes the changes, for `schedule_versions.actor` and manual firings. @default `<user>@<host>` */
  identity?: string;
  /** Encodes the arguments of schedules, as the workers decode them. @default Temporal's JSON converter */
  dataConverter?: DataConverter;
  /** Temporal namespace of schedules that name none. @default 'default' */
  namespace?: string;
  /**
   * The one tenant that this client sees and writes: what it creates is the tenant's, and another tenant's schedules,
   * firings and dead letters are not there for it. IDs of schedules stay unique over all tenants. @default all tenants
   */
  tenant?: string;
  /** Used only to look up what a redrive would run again, before it is asked for. @default none: the trigger asks */
  temporal?: Client;
  /**
   * Temporal's interceptors of `create`, as its `Client` or its `ScheduleClient` takes them. The headers that they set are
   * kept with the schedule, through updates too, and reach every workflow that it starts. `apply` calls none.
   *
   * @default none
   */
  interceptors?: ScheduleInterceptors;
  /** The instant of a change, for tests on a clock of their own. @default the database's clock */
  now?: () => Date;
}
