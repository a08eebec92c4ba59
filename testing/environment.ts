import type { Duration } from '@temporalio/common';
import { msToNumber } from '@temporalio/common/lib/time';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { EscapementClient } from '../client/client';
import type { Firing } from '../store/reads/read-firings';
import { type Answer, Answers } from './answers';
import { checkEnvironmentOptions } from './check-options';
import type { DoubleBehaviour } from './double/played-chain';
import { DoubleTakenError, TimeGoesForwardError, TornDownError, UnknownFaultError } from './errors';
import { instantOf } from './instant';
import type { TestScheduleEnvironmentOptions } from './options';
import { openParts, type Parts } from './parts';
import { goThrough } from './stretch';
import { CRASH_POINTS, type CrashPoint } from './trigger-seat';
import { moveTo } from './world';

/**
 * Schedules on a virtual clock: the real passes of a trigger, a real database, and workflows that really run on a
 * time-skipping server, or are played.
 *
 * @see `docs/testing.md`
 */
export class TestScheduleEnvironment {
  readonly #parts: Parts;
  readonly #answers: Answers;
  readonly #swept = { month: '' };
  #trigger: 'works' | 'is away' = 'works';
  #busy = false;
  #teardown: Promise<void> | undefined;

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.#answers = new Answers(parts.world.store);
  }

  /**
   * Make an environment. Seconds with real workflows, else milliseconds.
   *
   * @throws {MissingPackageError} when real workflows are asked for and a package for them is missing
   * @throws {InvalidOptionError} for options that there are not; a TypeError for a startTime that is none
   */
  static async create(options: TestScheduleEnvironmentOptions = {}): Promise<TestScheduleEnvironment> {
    checkEnvironmentOptions(options);
    return new TestScheduleEnvironment(await openParts(options));
  }

  /** A client on the virtual clock. */
  get client(): EscapementClient {
    return this.#parts.client;
  }

  /** What the environment's worker polls. */
  get taskQueue(): string {
    return this.#parts.taskQueue;
  }

  /** The virtual clock. */
  now(): Date {
    return new Date(this.#parts.world.clock.now());
  }

  /** The time-skipping environment, with clients of its server; undefined without real workflows. */
  get temporal(): TestWorkflowEnvironment | undefined {
    return this.#parts.world.real?.environment;
  }

  /** Connects to the ledger. */
  get databaseUrl(): string {
    return this.#parts.databaseUrl;
  }

  /**
   * Let time pass until an instant, inclusive; a text without an offset is UTC. Everything that is due on the way is done at its time.
   *
   * @returns the firings that were claimed or skipped on the way, oldest first, as they are at its end
   * @throws {TimeGoesForwardError} for an instant that is past
   * @throws {NobodyToRunError} when a schedule fires what nobody runs; nothing has happened then
   * @throws {TooManyFiringsError} when a schedule would fire more than 100,000 times; nothing has happened then
   * @throws {WorkflowTaskFailedError} when a real workflow cannot go on, such as one of a type that is not exported
   * @throws {StandstillError} when something real hangs
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
      if (this.#trigger === 'is away') {
        await moveTo(world, target);
        return [];
      }
      const schedules = await admission.check(from, target);
      await real?.startWorker();
      await goThrough(world, target, this.#swept);
      return this.#answers.ofStretch(client, { from, to: target }, schedules);
    });
  }

  /** {@link advanceTo} so much later. @format number of milliseconds or ms-formatted string */
  async advanceBy(duration: Duration): Promise<Firing[]> {
    return this.advanceTo(this.#live.world.clock.now() + msToNumber(duration));
  }

  /** All that a schedule came to so far: firings and gaps in the order of time. */
  async answers(scheduleId: string): Promise<Answer[]> {
    const { client, admission } = this.#live;
    return this.#answers.ofSchedule(client, scheduleId, await admission.check(0, 0));
  }

  /**
   * Play workflows of a type in this process instead of running them. On any task queue.
   *
   * @throws {DoubleTakenError} when the type has its double
   * @throws {TypeError} for a duration that is none
   */
  double(workflowType: string | { name: string }, behaviour: DoubleBehaviour = {}): void {
    const type = typeof workflowType === 'string' ? workflowType : workflowType.name;
    const { double } = this.#live.world;
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
    this.#live.steps.fail(activityName, times);
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
    this.#live.world.seat.crashAfter(after);
  }

  /** While `work` runs the trigger cannot reach Temporal. What runs there goes on. */
  async withTemporalDown<Result>(work: () => Promise<Result>): Promise<Result> {
    const { routed } = this.#live;
    routed.isAway = true;
    try {
      return await work();
    } finally {
      routed.isAway = false;
    }
  }

  /** While `work` runs there is no trigger: time passes and nothing fires. It dies without a word before. */
  async withoutTrigger<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#live.world.seat.leave();
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
    const { real } = this.#live.world;
    if (!real?.hasWorker)
      throw new UnknownFaultError('there is no worker to be without; give create() a workflowsPath');
    return real.withoutWorker(work);
  }

  /** End worker, trigger and server, and drop the database. Once, however often it is called. */
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

  /** @throws {TornDownError} */
  get #live(): Parts {
    if (this.#teardown) throw new TornDownError('this test environment was torn down; create another');
    return this.#parts;
  }
}
