import type { Duration } from '@temporalio/common';
import { msToNumber } from '@temporalio/common/lib/time';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { EscapementClient } from '../client/client';
import type { Firing } from '../store/reads/read-firings';
import { type Answer, Answers } from './answers';
import { checkEnvironmentOptions } from './check-options';
import type { DoubleBehaviour } from './double/behaviour';
import { DoubleTakenError, TimeGoesForwardError, TornDownError, UnknownFaultError } from './errors';
import { instantOf } from './instant';
import type { TestScheduleEnvironmentOptions } from './options';
import { openParts, type Parts } from './parts';
import { goThrough, type Swept } from './stretch';
import { CRASH_POINTS, type CrashPoint } from './trigger-seat';
import { moveTo } from './world';

/**
 * Schedules on a virtual clock. The environment runs the real passes of a trigger on a real database. Workflows either
 * really run on a time-skipping server, or are simulated.
 *
 * @see `docs/testing.md`
 */
export class TestScheduleEnvironment {
  readonly #parts: Parts;
  readonly #answers: Answers;
  readonly #swept: Swept = { month: '', parked: null };
  /** How many faults of the test keep the trigger away now. */
  #triggerFaults = 0;
  #busy = false;
  #teardown: Promise<void> | undefined;

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.#answers = new Answers(parts.world.store);
  }

  /**
   * Create an environment. With real workflows a server is started, unless `environment` is given.
   *
   * @throws {MissingPackageError} if real workflows need a package that is not installed
   * @throws {InvalidOptionError} for an unknown or invalid option
   * @throws {TypeError} for an invalid `startTime`
   */
  static async create(options: TestScheduleEnvironmentOptions = {}): Promise<TestScheduleEnvironment> {
    checkEnvironmentOptions(options);
    return new TestScheduleEnvironment(await openParts(options));
  }

  /** A client whose time is the virtual clock. */
  get client(): EscapementClient {
    return this.#parts.client;
  }

  /** Task queue that the environment's worker polls. */
  get taskQueue(): string {
    return this.#parts.taskQueue;
  }

  /** The current time of the virtual clock. */
  now(): Date {
    return new Date(this.#parts.world.clock.now());
  }

  /** The time-skipping environment, with clients of its server; undefined if there is no such server. */
  get temporal(): TestWorkflowEnvironment | undefined {
    return this.#parts.world.real?.environment;
  }

  /** The connection URL of the ledger's database. */
  get databaseUrl(): string {
    return this.#parts.databaseUrl;
  }

  /**
   * Advance the virtual clock to an instant, inclusive; a text without an offset is read as UTC. Everything that is due
   * up to this instant happens at its own time, unless a fault that the test has ordered prevents it.
   *
   * @returns the firings whose `claimedAt` lies in that time, oldest first, in their state at the end; none within
   *   {@link withoutTrigger}
   * @throws {TypeError} for something that is no instant
   * @throws {TimeGoesForwardError} for an instant in the past
   * @throws {NobodyToRunError} if a schedule may fire a workflow that nothing runs; usually the clock has then not
   * advanced
   * @throws {TooManyFiringsError} if a schedule would fire more than 100,000 times; the clock has then not advanced
   * @throws {WorkflowTaskFailedError} if a real workflow cannot continue, such as one whose type is not exported
   * @throws {StandstillError} if a real workflow or activity hangs, or a transaction keeps a due schedule locked
   * @throws the error of the environment's worker, if it cannot run
   */
  async advanceTo(instant: Date | string | number): Promise<Firing[]> {
    const { client, world, admission } = this.#live;
    const { clock, real } = world;
    const from = clock.now();
    const target = instantOf(instant);
    if (target < from) {
      throw new TimeGoesForwardError(
        `it is ${new Date(from).toISOString()} already; the clock does not go back to ${new Date(target).toISOString()}`,
      );
    }
    return this.#alone(async () => {
      if (this.#triggerFaults > 0) {
        await moveTo(world, target);
        return [];
      }
      const schedules = await admission.check(from, target);
      await real?.startWorker();
      await goThrough(world, target, this.#swept);
      return this.#answers.ofStretch(client, { from, to: target }, schedules);
    });
  }

  /** {@link advanceTo} by a duration. @format number of milliseconds or ms-formatted string */
  async advanceBy(duration: Duration): Promise<Firing[]> {
    return this.advanceTo(this.#live.world.clock.now() + msToNumber(duration));
  }

  /**
   * All answers of a schedule in the ledger, firings and gaps, ordered by time. A schedule that sleeps, for example
   * since it is paused, gets its gap when it wakes.
   */
  async answers(scheduleId: string): Promise<Answer[]> {
    const { client, admission } = this.#live;
    return this.#answers.ofSchedule(client, scheduleId, await admission.check(0, 0));
  }

  /**
   * Simulate a workflow type in this process instead of running it. The double applies to all task queues.
   *
   * @throws {DoubleTakenError} if the type already has a double
   * @throws {InvalidOptionError} for an unknown or invalid field
   * @throws {TypeError} for an invalid duration
   */
  double(workflowType: string | { name: string }, behaviour: DoubleBehaviour = {}): void {
    const type = typeof workflowType === 'string' ? workflowType : workflowType.name;
    const { double } = this.#live.world;
    if (double.plays(type)) throw new DoubleTakenError(`workflow type '${type}' has a double already`);
    msToNumber(behaviour.takes ?? 0);
    double.play(type, behaviour);
  }

  /**
   * Let the next `times` attempts of an activity fail, in a way that Temporal retries by the activity's retry policy.
   *
   * @throws {UnknownFaultError} if the worker has no such activity
   */
  failStep(activityName: string, times = 1): void {
    this.#live.steps.fail(activityName, times);
  }

  /**
   * Let the trigger crash the next time that it reaches this point, as `kill -9` would. With `claim` it crashes after a
   * claim, and a new trigger starts the claimed firings at once. With `start` it crashes after a workflow was started
   * and before the start is recorded. A new trigger takes this firing over when the last heartbeat is 10 seconds old.
   *
   * @throws {UnknownFaultError} for an unknown point
   */
  crashTrigger({ after }: { after: CrashPoint }): void {
    if (!CRASH_POINTS.includes(after)) {
      throw new UnknownFaultError(`a trigger cannot crash after '${after}'; it can after ${CRASH_POINTS.join(' or ')}`);
    }
    this.#live.world.seat.crashAfter(after);
  }

  /** While `work` runs, the trigger cannot reach Temporal. Workflows that are running continue. */
  async withTemporalDown<Result>(work: () => Promise<Result>): Promise<Result> {
    const { routed } = this.#live;
    routed.faults++;
    try {
      return await work();
    } finally {
      routed.faults--;
    }
  }

  /** While `work` runs, there is no trigger: time passes and nothing fires. The current trigger crashes first. */
  async withoutTrigger<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#triggerFaults++;
    try {
      await this.#live.world.seat.leave();
      return await work();
    } finally {
      this.#triggerFaults--;
    }
  }

  /**
   * While `work` runs, there is no worker: real workflows are started but do not run. Workflows that were running wait,
   * and continue afterwards. Simulated workflows go on.
   *
   * @throws {UnknownFaultError} if the environment has no worker
   */
  async withoutWorker<Result>(work: () => Promise<Result>): Promise<Result> {
    const { real } = this.#live.world;
    if (!real?.hasWorker)
      throw new UnknownFaultError('there is no worker to be without; give create() a workflowsPath');
    return real.withoutWorker(work);
  }

  /**
   * Stop worker and trigger, and the server and database that the environment made. An activity that still runs three
   * seconds after its cancellation, in real time, is given up. A second call does nothing.
   *
   * @throws the error of the environment's worker, if it could not run
   */
  teardown(): Promise<void> {
    this.#teardown ??= this.#parts.close();
    return this.#teardown;
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

  get #live(): Parts {
    if (this.#teardown) throw new TornDownError('this test environment was torn down; create another');
    return this.#parts;
  }
}
