import type { TemporalPort } from '../temporal/port';
import { oneServer } from '../temporal/temporal';
import { LIMITS } from '../trigger/limits';
import type { TunedTriggerOptions } from '../trigger/options';
import { Trigger } from '../trigger/trigger';

/** Where a trigger may die: after it has claimed, or after Temporal has started and before it has linked. */
export const CRASH_POINTS = ['claim', 'start'] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number];

/** The result of a pass in which the trigger died. */
export const DIED = Symbol('died');

/** The place of the one running trigger: a test may let it die, and a new trigger takes its place. */
export class TriggerSeat {
  #seated: Seated | undefined;
  #crashAfter: CrashPoint | undefined;
  /** Whether other triggers are about, which would take over from one that has no heartbeat. */
  othersAreAlive = false;

  constructor(
    private readonly options: Omit<TunedTriggerOptions, 'connection'> & { clock: { now(): number } },
    private readonly temporal: TemporalPort,
    /** Whether firings are handed over ahead of their time. */
    readonly preStarts: boolean,
  ) {}

  /** Let whoever sits here die the next time it comes to this point. */
  crashAfter(point: CrashPoint): void {
    this.#crashAfter = point;
  }

  /** The ID of the trigger that is at work. */
  async id(): Promise<string> {
    return (await this.#sit()).trigger.id;
  }

  /** Run a pass of the trigger, which may die in it. A heartbeat comes first if one would be missed otherwise. */
  async run<Result>(pass: (trigger: Trigger) => Promise<Result>): Promise<Result | typeof DIED> {
    const seated = await this.#sit();
    if (this.othersAreAlive || this.#crashAfter !== undefined) await this.heartbeat();
    return Promise.race([pass(seated.trigger), seated.died]);
  }

  /**
   * Send a heartbeat where that is due. Passes in between are left out: the ledger itself shows which firings are due,
   * so that a year takes no longer than its firings. Whoever watches from outside, or comes after a trigger that died,
   * sees the last.
   */
  async heartbeat(): Promise<void> {
    const seated = await this.#sit();
    const now = this.options.clock.now();
    if (now - seated.beatAt < LIMITS.heartbeatIntervalMilliseconds) return;
    seated.beatAt = now;
    await seated.trigger.passes.heartbeat();
  }

  /** To be called after a claim that claimed something. */
  async claimed(): Promise<void> {
    if (this.#crashAfter !== 'claim') return;
    this.#crashAfter = undefined;
    await this.leave();
  }

  /** Away without a word, as a process that is killed. The next pass is a fresh trigger's. */
  async leave(): Promise<void> {
    const seated = this.#seated;
    this.#seated = undefined;
    if (!seated) return;
    seated.port.die();
    await seated.trigger.close();
  }

  async #sit(): Promise<Seated> {
    if (this.#seated) return this.#seated;
    let died: (value: typeof DIED) => void = () => {};
    const death = new Promise<typeof DIED>((resolve) => {
      died = resolve;
    });
    const port = mortal(this.temporal, () => {
      if (this.#crashAfter !== 'start') return false;
      this.#crashAfter = undefined;
      // Not awaited: this closes connections that the dying pass may still hold.
      void this.leave().then(() => died(DIED));
      return true;
    });
    // On a virtual clock every start is in time, so firings are handed over ahead only if a test asks for that.
    const preStart = this.preStarts ? { preStartAfterMilliseconds: 0 } : { preStartCapMilliseconds: 0 };
    // Played chains and real workflows may exist side by side: each is looked up by itself.
    const limits = { ...this.options.limits, ...preStart, listEndsIntervalMilliseconds: 0 };
    const trigger = await Trigger.createOn({ ...this.options, limits }, async () => oneServer(port));
    this.#seated = { trigger, port, died: death, beatAt: Number.NEGATIVE_INFINITY };
    return this.#seated;
  }
}

interface Seated {
  trigger: Trigger;
  port: MortalPort;
  died: Promise<typeof DIED>;
  beatAt: number;
}

type MortalPort = TemporalPort & { die(): void };

/**
 * A port whose calls never come back once its trigger is dead, so that nothing it was about to do is done.
 *
 * @param diesAfterStart asked after each start that Temporal has taken
 */
function mortal(temporal: TemporalPort, diesAfterStart: () => boolean): MortalPort {
  let dead = false;
  const never = <Result>() => new Promise<Result>(() => {});
  const alive = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    if (dead) return never();
    const result = await call();
    return dead ? never() : result;
  };
  return {
    startWorkflow: (start) =>
      alive(async () => {
        const started = await temporal.startWorkflow(start);
        dead ||= diesAfterStart();
        return started;
      }),
    describeChain: (...args) => alive(() => temporal.describeChain(...args)),
    failedStep: (...args) => alive(() => temporal.failedStep(...args)),
    resetPoint: (...args) => alive(() => temporal.resetPoint(...args)),
    reset: (...args) => alive(() => temporal.reset(...args)),
    signal: (...args) => alive(() => temporal.signal(...args)),
    retention: (...args) => alive(() => temporal.retention(...args)),
    requestCancel: (...args) => alive(() => temporal.requestCancel(...args)),
    terminate: (...args) => alive(() => temporal.terminate(...args)),
    listEnds: (...args) => alive(() => temporal.listEnds(...args)),
    listRuns: (...args) => alive(() => temporal.listRuns(...args)),
    // Shared with the triggers that come after.
    close: async () => {},
    die: () => {
      dead = true;
    },
  };
}
