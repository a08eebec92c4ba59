import { hostname } from 'node:os';
import type { Registry } from 'prom-client';
import type { SchemaTooNewError } from '../core/errors';
import { connectServers } from '../temporal/routes';
import { version } from '../version';
import { claim } from './claim/claim';
import { verify } from './claim/verify';
import type { TriggerContext } from './context';
import { dispatch } from './dispatch/dispatch';
import { healthOf, type TriggerHealth, type TriggerState } from './health';
import { heartbeatLoop, workLoops } from './loops';
import { interrupt } from './observe/interrupt';
import { observe } from './observe/observe';
import { reset } from './observe/reset';
import { sayOver } from './observe/say-over';
import { type ConnectServers, openContext } from './open-context';
import { checkTriggerOptions, type TriggerOptions, type TunedTriggerOptions } from './options';
import type { TriggerPasses } from './passes';
import { adopt } from './recover/adopt';
import { askAway } from './recover/ask-away';
import { askParked } from './recover/ask-parked';
import { lowerFloors } from './recover/lower-floors';
import { reconcile } from './recover/reconcile';
import { redrive } from './redrive/redrive';
import { alert } from './upkeep/alert';
import { heartbeat } from './upkeep/heartbeat';
import { report } from './upkeep/report';
import { sendMessages } from './upkeep/send-messages';
import { disconnect, leaveLedger } from './upkeep/sign-off';
import { sweep } from './upkeep/sweep';

/**
 * Claims firings and starts their workflows. Several triggers may share one ledger, without a leader.
 *
 * @see `docs/architecture.md`
 */
export class Trigger {
  #state: TriggerState = 'INITIALIZED';
  readonly #identity = {
    host: hostname(),
    version,
    tz: process.versions.tz ?? null,
    icu: process.versions.icu ?? null,
  };
  #leftBehind: SchemaTooNewError | undefined;

  private constructor(
    private readonly context: TriggerContext,
    private readonly stopping: AbortController,
  ) {
    context.onLeftBehind = (error) => this.#stopLeftBehind(error);
  }

  /**
   * Connect to Postgres and Temporal and check that the schema fits. While no Temporal server answers, the trigger can
   * run nevertheless: it claims, and starts the firings once a server answers.
   *
   * @throws {PostgresUnreachableError} when Postgres does not answer
   * @throws {TemporalUnreachableError} when each server refuses the trigger, its TLS settings are wrong, or its address is
   *   malformed. A wrong host name only counts as a server that does not answer
   * @throws {InvalidOptionError} for an unknown or invalid option
   * @throws {MissingRightsError} when the Postgres role lacks rights that a trigger needs
   * @throws {SchemaNotMigratedError | SchemaTooNewError} when the schema and this program do not fit
   */
  static async create(options: TriggerOptions): Promise<Trigger> {
    checkTriggerOptions(options);
    return Trigger.createTuned(options);
  }

  /**
   * Like {@link create}, with options that only tests set.
   *
   * @internal
   */
  static async createTuned(options: TunedTriggerOptions): Promise<Trigger> {
    return Trigger.createOn(options, (settings, logger) => connectServers(options, settings, logger));
  }

  /**
   * Like {@link createTuned}, with another way to reach Temporal, for the testing kit.
   *
   * @internal
   */
  static async createOn(
    options: Omit<TunedTriggerOptions, 'connection' | 'namespaces'>,
    connect: ConnectServers,
  ): Promise<Trigger> {
    const stopping = new AbortController();
    return new Trigger(await openContext(options, connect, stopping.signal), stopping);
  }

  /** The UUID of this trigger: its ID in `triggers`, and `firings.owner` of the starts that it announces. */
  get id(): string {
    return this.context.id;
  }

  /** The trigger's state. */
  getState(): TriggerState {
    return this.#state;
  }

  /** The trigger's metrics, and those of the ledger: see `docs/metrics.md`. */
  get metrics(): Registry {
    return this.context.metrics.registry;
  }

  /** Whether the trigger is ready, and what blocks some of the schedules. */
  health(): TriggerHealth {
    return healthOf(this.context, this.#state);
  }

  /**
   * The passes that {@link run} repeats. A call carries out one pass: for tests, and for callers that drive the passes
   * by another clock.
   */
  readonly passes: TriggerPasses = {
    connect: () => this.#measured('connect', () => this.context.temporal.reach()),
    askAway: (goOn) => this.#measured('askAway', () => askAway(this.context, goOn)),
    claim: (scope) => this.#measured('claim', () => claim(this.context, scope)),
    verify: (goOn) => this.#measured('verify', () => verify(this.context, goOn)),
    dispatch: (namespace, scope) => this.#measured('dispatch', () => dispatch(this.context, namespace, scope)),
    interrupt: (goOn) => this.#measured('interrupt', () => interrupt(this.context, goOn)),
    observe: (goOn, scope) => this.#measured('observe', () => observe(this.context, goOn, scope)),
    reconcile: (goOn, scope) => this.#measured('reconcile', () => reconcile(this.context, goOn, scope)),
    lowerFloors: (floors) => this.#measured('lowerFloors', () => lowerFloors(this.context, floors)),
    sayOver: () => this.#measured('sayOver', () => sayOver(this.context)),
    reset: (goOn, scope) => this.#measured('reset', () => reset(this.context, goOn, scope)),
    redrive: (goOn) => this.#measured('redrive', () => redrive(this.context, goOn)),
    heartbeat: () => this.#measured('heartbeat', () => heartbeat(this.context, this.#identity)),
    sweep: () => this.#measured('sweep', () => sweep(this.context)),
    adopt: () => this.#measured('adopt', () => adopt(this.context)),
    askParked: () => this.#measured('askParked', () => askParked(this.context)),
    alert: () => this.#measured('alert', () => alert(this.context)),
    sendAlerts: (webhook) => this.#measured('sendAlerts', () => sendMessages(this.context, webhook)),
    report: () => this.#measured('report', () => report(this.context)),
  };

  #measured<Result>(pass: keyof TriggerPasses, run: () => Promise<Result>): Promise<Result> {
    return this.context.metrics.pass(pass, run);
  }

  /**
   * Fire schedules until {@link shutdown}. While Postgres or Temporal does not answer, the trigger keeps trying.
   *
   * @throws {SchemaTooNewError} when the schema has become too new for this program; the trigger has then stopped by
   * itself
   * @throws {Error} when called twice, or after {@link close}
   */
  async run(): Promise<void> {
    if (this.#state !== 'INITIALIZED') throw new Error(`this trigger is ${this.#state} and cannot run again`);
    this.#state = 'RUNNING';
    const { logger } = this.context;
    const { signal } = this.stopping;
    const stopRequested = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    // Nothing is claimed before the database's clock has been read.
    let heard: () => void = () => {};
    const firstHeartbeat = new Promise<void>((resolve) => {
      heard = resolve;
    });
    const heartbeat = () => this.passes.heartbeat().then(heard);
    const heartbeats = heartbeatLoop(this.context, { ...this.passes, heartbeat });
    this.context.store.onOther(() => heartbeats.wake());
    const working = workLoops(this.context, this.passes);
    logger.info('trigger running', { triggerId: this.id, schema: this.context.store.schema });
    heartbeats.start();
    await Promise.race([firstHeartbeat, stopRequested]);
    if (!signal.aborted) for (const loop of working) loop.start();

    await stopRequested;
    await Promise.all(working.map((loop) => loop.stop()));
    await leaveLedger(this.context, heartbeats);
    await this.#disconnect();
    logger.info('trigger stopped', { triggerId: this.id });
    if (this.#leftBehind) throw this.#leftBehind;
  }

  /**
   * Begin no further claim, finish and link the starts in flight; then {@link run} returns. If `shutdown` was called
   * before {@link run}, `run` claims nothing and returns.
   */
  shutdown(): void {
    if (this.#state === 'RUNNING') this.#state = 'STOPPING';
    this.stopping.abort();
  }

  /** A newer program may not understand the rows that this program would write. */
  #stopLeftBehind(error: SchemaTooNewError): void {
    if (this.#leftBehind) return;
    this.#leftBehind = error;
    this.context.logger.error('the schema is too new for this trigger; it stops', { error: error.message });
    this.shutdown();
  }

  /**
   * Close a trigger that does not run.
   *
   * @throws {Error} while the trigger runs or stops: stop it by {@link shutdown}
   */
  async close(): Promise<void> {
    if (this.#state === 'RUNNING' || this.#state === 'STOPPING') {
      throw new Error(`this trigger is ${this.#state}; call shutdown() and await run()`);
    }
    await this.#disconnect();
  }

  #disconnect(): Promise<void> {
    this.#state = 'STOPPED';
    return disconnect(this.context);
  }
}
