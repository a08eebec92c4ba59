import type { TemporalPort } from '../temporal/port';
import { oneServer } from '../temporal/temporal';
import { LIMITS } from '../trigger/limits';
import type { TunedTriggerOptions } from '../trigger/options';
import { Trigger } from '../trigger/trigger';

/**
 * The points at which a test may let a trigger die: after a claim, or after Temporal has started a workflow and before
 * the firing is linked.
 */
export const CRASH_POINTS = ['claim', 'start'] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number];

/** The result of a pass in which the trigger died. */
export const DIED = Symbol('died');

/** Holds the one trigger that runs. A test may let this trigger die; a new one is then made. */
export class TriggerSeat {
  #seated: Seated | undefined;
  #crashAfter: CrashPoint | undefined;
  /** Whether the ledger has other triggers, which would take over from a trigger without a heartbeat. */
  othersAreAlive = false;

  constructor(
    private readonly options: Omit<TunedTriggerOptions, 'connection'> & { clock: { now(): number } },
    private readonly temporal: TemporalPort,
    /** Whether firings are handed over ahead of their time. */
    readonly preStarts: boolean,
  ) {}

  crashAfter(point: CrashPoint): void {
    this.#crashAfter = point;
  }

  async id(): Promise<string> {
    return (await this.#sit()).trigger.id;
  }

  async run<Result>(pass: (trigger: Trigger) => Promise<Result>): Promise<Result | typeof DIED> {
    const seated = await this.#sit();
    if (this.othersAreAlive || this.#crashAfter !== undefined) await this.heartbeat();
    return Promise.race([pass(seated.trigger), seated.died]);
  }

  /** While nothing happens, this is not called, so that the cost of a simulated year depends only on its firings. */
  async heartbeat(): Promise<void> {
    const seated = await this.#sit();
    const now = this.options.clock.now();
    if (now - seated.beatAt < LIMITS.heartbeatIntervalMilliseconds) return;
    seated.beatAt = now;
    await seated.trigger.passes.heartbeat();
  }

  /** Call this after a claim pass that has claimed firings: a trigger that is to crash after a claim then dies. */
  async claimed(): Promise<void> {
    if (this.#crashAfter !== 'claim') return;
    this.#crashAfter = undefined;
    await this.leave();
  }

  /** The trigger disappears without signing off, like a process that is killed. The next pass runs in a new trigger. */
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
      // The call is not awaited, since it closes connections that the dying pass may still hold.
      void this.leave().then(() => died(DIED));
      return true;
    });
    // On a virtual clock every start is in time, so firings are handed over ahead only if a test asks for it.
    const preStart = this.preStarts ? { preStartAfterMilliseconds: 0 } : { preStartCapMilliseconds: 0 };
    // Simulated chains and real workflows may exist side by side, so each chain is polled by itself.
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
 * A port whose calls never return once its trigger is dead, so that the trigger does nothing more.
 *
 * @param diesAfterStart a function that decides, after each start that Temporal has accepted, whether the trigger dies
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
    // The port is shared with the triggers that come later, so it is not closed.
    close: async () => {},
    die: () => {
      dead = true;
    },
  };
}
