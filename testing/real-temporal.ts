import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { NativeConnection, Worker, WorkerOptions } from '@temporalio/worker';
import { provideTestServer } from '../provision';
import type { OpenChain } from '../store/reads/agenda';
import { connectTemporal } from '../temporal/connection';
import type { TemporalPort } from '../temporal/port';
import { LIMITS } from '../trigger/limits';
import { HungActivities } from './hung-activities';
import { nextChange } from './next-change';
import { parkingOn } from './parked-since';
import { loadWorker } from './peers';
import { SkippingServer } from './skipping-server';
import { startSkippingServer } from './start-server';

export type OwnWorkerOptions = Partial<WorkerOptions> & { taskQueue: string; activities: object };

/** A chain is polled this long after the event for which it waits, on the virtual clock. */
const SETTLE_MILLISECONDS = 1_000;
const SHUT_DOWN_EVERY_MILLISECONDS = 50;

/** The time-skipping server of an environment, with its connection and worker. */
export class RealTemporal {
  #worker: { worker: Worker; running: Promise<void>; failure: Promise<never>; hung: HungActivities } | undefined;
  /** How many faults of the test keep the worker away now. */
  #workerFaults = 0;

  private constructor(
    readonly environment: TestWorkflowEnvironment,
    private readonly isOurs: boolean,
    private readonly server: SkippingServer,
    readonly port: TemporalPort,
    private readonly worker: OwnWorkerOptions,
  ) {}

  static async start(
    existing: TestWorkflowEnvironment | undefined,
    executablePath: string | undefined,
    now: number,
    worker: OwnWorkerOptions,
  ): Promise<RealTemporal> {
    const environment = existing ?? (await startServer(executablePath, worker.plugins));
    try {
      const server = await SkippingServer.at(environment, now);
      const port = await connectTemporal(
        { address: environment.address },
        {
          deadlineMilliseconds: LIMITS.startDeadlineMilliseconds,
          identity: 'escapement-test',
          // No chain counts as one without a worker, since the server's clock differs from the clock of this process.
          stalledAfterMilliseconds: Number.POSITIVE_INFINITY,
        },
      );
      return new RealTemporal(environment, !existing, server, endsOn(port, server), worker);
    } catch (error) {
      if (!existing) await environment.teardown();
      throw error;
    }
  }

  get hasWorker(): boolean {
    return this.worker.workflowsPath !== undefined || this.worker.workflowBundle !== undefined;
  }

  /** After the call, everything that can run until this instant has run, unless the worker is away. */
  async advanceTo(instant: number): Promise<void> {
    if (this.#workerFaults > 0) return this.server.leaveBehind(instant);
    await this.server.skipTo(instant, this.#worker?.failure);
  }

  /** When an open chain is polled again, on the virtual clock; undefined if only a later check can show it. */
  async changesNextAt({ namespace, workflowId }: OpenChain): Promise<number | undefined> {
    if (this.#workerFaults > 0) return undefined;
    const next = await nextChange(this.environment.connection, namespace, workflowId);
    return next === undefined ? undefined : this.server.virtual(next) + SETTLE_MILLISECONDS;
  }

  async startWorker(): Promise<void> {
    if (this.#worker || this.#workerFaults > 0 || !this.hasWorker) return;
    const { Worker } = loadWorker();
    const connection = this.environment.nativeConnection as NativeConnection;
    const { plugins, interceptors, ...options } = this.worker;
    const hung = new HungActivities();
    const worker = await Worker.create({
      connection,
      // If a stopped worker has a workflow in its cache, the workflow waits this long, in real time, before another
      // worker gets it.
      stickyQueueScheduleToStartTimeout: '1 second',
      ...options,
      interceptors: {
        ...interceptors,
        activity: [hung.interceptor, parkingOn(this.server), ...(interceptors?.activity ?? [])],
      },
      // The worker also takes the connection's plugins.
      plugins: plugins?.filter((plugin) => !connection.plugins.includes(plugin)) ?? [],
    });
    const running = worker.run();
    const failure = running.then(() => new Promise<never>(() => {}));
    this.#worker = { worker, running, failure, hung };
    // While no time passes, nobody awaits the worker, and its failure must not become an unhandled rejection.
    failure.catch(() => {});
  }

  async withoutWorker<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#workerFaults++;
    try {
      await this.#stopWorker();
      return await work();
    } finally {
      this.#workerFaults--;
      await this.startWorker();
    }
  }

  async stop(): Promise<void> {
    try {
      await this.#stopWorker({ givesUp: true }).finally(() => this.port.close());
    } finally {
      if (this.isOurs) await this.environment.teardown();
    }
  }

  /** @param options.givesUp fail activities that ignore their cancellation; otherwise their ends are awaited */
  async #stopWorker({ givesUp = false } = {}): Promise<void> {
    if (!this.#worker) return;
    const { worker, running, hung } = this.#worker;
    this.#worker = undefined;
    const shutDown = () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
    };
    shutDown();
    // A plugin may let the worker run only later.
    const again = setInterval(shutDown, SHUT_DOWN_EVERY_MILLISECONDS);
    try {
      if (givesUp) await hung.outlast(running, this.worker.shutdownGraceTime);
      else await running;
    } finally {
      clearInterval(again);
    }
  }
}

async function startServer(path: string | undefined, plugins: WorkerOptions['plugins']) {
  return startSkippingServer(path ?? (await provideTestServer({})).executablePath, plugins as never);
}

/** The same port, except that `describeChain` gives the end of a chain by the virtual clock. */
function endsOn(port: TemporalPort, server: SkippingServer): TemporalPort {
  return {
    startWorkflow: (start) => port.startWorkflow(start),
    async describeChain(...args) {
      const chain = await port.describeChain(...args);
      if (!chain?.closedAt) return chain;
      return { ...chain, closedAt: new Date(server.virtual(chain.closedAt.getTime())) };
    },
    failedStep: (...args) => port.failedStep(...args),
    resetPoint: (...args) => port.resetPoint(...args),
    reset: (...args) => port.reset(...args),
    signal: (...args) => port.signal(...args),
    retention: (namespace) => port.retention(namespace),
    requestCancel: (...args) => port.requestCancel(...args),
    terminate: (...args) => port.terminate(...args),
    listEnds: (...args) => port.listEnds(...args),
    listRuns: (...args) => port.listRuns(...args),
    close: () => port.close(),
  };
}
