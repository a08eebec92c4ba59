import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { ConnectionOptions } from '@temporalio/client';
import type { Logger } from '@temporalio/common';
import type { SchemaTooNewError } from '../core/errors';
import type { FailureTextOptions } from '../core/failure-text';
import { type OpenStore, openStore, type PostgresOptions } from '../store/connection';
import { noticeIncarnation } from '../store/incarnation';
import { checkSchema } from '../store/meta';
import { readRetentionFloor } from '../store/retention';
import { checkRights } from '../store/rights';
import { releaseClaims } from '../store/start';
import { signOff } from '../store/triggers';
import type { TemporalSettings } from '../temporal/caller';
import { connectServers, type NamespaceOptions } from '../temporal/routes';
import { Temporal, type TemporalServers } from '../temporal/temporal';
import { version } from '../version';
import { adopt } from './adopt';
import { NOTHING_HELD } from './adoption';
import { Aside } from './aside';
import { AwayFloor } from './away-floor';
import { AwayLog } from './away-log';
import { Backlog } from './backlog';
import { claim } from './claim';
import { ClaimChecks } from './claim-checks';
import { type Clock, DatabaseClock } from './clock';
import type { TriggerContext, TriggerLimits } from './context';
import { Declined } from './declined';
import { DefinitionCache } from './definitions';
import { claimBatch } from './growing-batch';
import { heartbeat } from './heartbeat';
import { interrupt } from './interrupt';
import { PassLanes } from './lanes';
import { pinoLogger } from './logging';
import { LookPace } from './look-pace';
import { heartbeatLoop, type TriggerPasses, workLoops } from './loops';
import { KnownMonths } from './months';
import { observe } from './observe';
import { checkTriggerOptions, limitsOf } from './options';
import { StartQueue } from './queue';
import { reconcile } from './reconcile';
import { redrive } from './redrive';
import { reset } from './reset';
import { start } from './start';
import { CappedStarts, type StartCaps } from './start-caps';
import { StartGates } from './start-gates';
import { StartRate } from './start-rate';
import { sweep } from './sweep';
import type { Ticker } from './ticker';
import { verify } from './verify';

/** How a trigger reaches Postgres and Temporal, and how it behaves. */
export interface TriggerOptions extends PostgresOptions, FailureTextOptions {
  /**
   * How to reach Temporal, as `Connection.connect` takes it. Options rather than a connection, since the trigger's own
   * has the SDK's retries off.
   *
   * @default localhost:7233; none where `namespaces` is given
   */
  connection?: ConnectionOptions;
  /**
   * Servers of namespaces that `connection` does not have, by namespace. Where one does not answer, only its own
   * schedules wait. @default none: every namespace is on the server of `connection`
   */
  namespaces?: Record<string, NamespaceOptions>;
  /** @default pino, one JSON line per transition, at level info */
  logger?: Logger;
  /** @default this process's clock, set by the database's at each heartbeat */
  clock?: Clock;
  /** Shown in Temporal as the identity of the starter. @default `escapement@<host>` */
  identity?: string;
  /** @default DEFAULTS.trigger */
  limits?: Partial<TriggerLimits>;
  /** Starts a second that all triggers of the ledger together make at most, by namespace or task queue. @default no cap */
  maxStartsPerSecond?: StartCaps;
}

/** Its loops work side by side. Opened as they are needed. */
const CONNECTIONS_AT_MOST = 10;

/** Life of a trigger, as a Worker's. */
export type TriggerState = 'INITIALIZED' | 'RUNNING' | 'STOPPING' | 'STOPPED';

/**
 * The process that claims firings and starts their workflows. Several share one ledger without a leader.
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
    private readonly ledger: OpenStore,
    private readonly stopping: AbortController,
  ) {
    context.onLeftBehind = (error) => this.#stopLeftBehind(error);
  }

  /**
   * Connect to Postgres and Temporal and check that the schema fits.
   *
   * @throws {PostgresUnreachableError} when it does not answer
   * @throws {TemporalUnreachableError} when no server does
   * @throws {InvalidOptionError} for an option that cannot be, or limits that contradict each other
   * @throws {MissingRightsError} when its role may not do all that a trigger does
   * @throws {SchemaNotMigratedError | SchemaTooNewError} when the schema and this program do not fit
   */
  static async create(options: TriggerOptions): Promise<Trigger> {
    checkTriggerOptions(options);
    return Trigger.createOn(options, (settings, logger) => connectServers(options, settings, logger));
  }

  /**
   * {@link create} on another way to Temporal: for the testing kit.
   *
   * @internal
   */
  static async createOn(
    options: Omit<TriggerOptions, 'connection' | 'namespaces'>,
    connect: (settings: TemporalSettings, logger: Logger) => Promise<TemporalServers>,
  ): Promise<Trigger> {
    const ledger = openStore({ connectionsAtMost: CONNECTIONS_AT_MOST, ...options });
    const stopping = new AbortController();
    try {
      const limits = limitsOf(options.limits);
      const lacking = await checkRights(ledger);
      const { installationId } = await checkSchema(ledger);
      const clock = options.clock ?? new DatabaseClock();
      // Before anything is claimed here: what is claimed later says nothing about what was lost.
      const { incarnation, adopted, adoptedAt } = await noticeIncarnation(ledger, new Date(clock.now()));
      ledger.expect(incarnation);
      const logger = options.logger ?? pinoLogger();
      if (lacking.length > 0) logger.warn('rights are missing, so that what has ended stays', { grant: lacking });
      const servers = await connect(
        {
          deadlineMilliseconds: limits.startDeadlineMilliseconds,
          stalledAfterMilliseconds: limits.stalledAfterMilliseconds,
          identity: options.identity ?? `escapement@${hostname()}`,
        },
        logger,
      );
      const context: TriggerContext = {
        id: randomUUID(),
        installationId,
        store: ledger,
        temporal: new Temporal(servers, () => clock.now(), new AwayLog(logger)),
        clock,
        logger,
        limits,
        definitions: new DefinitionCache(),
        failureTexts: { keepFailureTexts: options.keepFailureTexts ?? true, redact: options.redact },
        queue: new StartQueue(),
        gates: new StartGates(limits.startsInFlight),
        rates: {
          due: new StartRate(limits.startsPerSecondAssumed),
          ahead: new StartRate(limits.startsPerSecondAssumed),
        },
        caps: new CappedStarts(options.maxStartsPerSecond ?? {}),
        lanes: new PassLanes(),
        backlog: new Backlog(),
        claims: claimBatch(limits),
        looks: new LookPace(limits),
        awayFloor: new AwayFloor(),
        claimChecks: new ClaimChecks(),
        aside: new Aside(logger, () => clock.now()),
        declined: new Declined(),
        suspects: new Map(),
        retentionFloor: await readRetentionFloor(ledger),
        retention: { said: undefined },
        months: new KnownMonths(),
        adoption: {
          incarnation,
          held: adopted ? NOTHING_HELD : 'all',
          done: new Set(),
          complaints: new Map(),
          adoptedAt,
          again: undefined,
        },
        onNotice: () => {},
        unknownZones: new Map(),
        zoneDataSaid: '[]',
        onLeftBehind: () => {},
        onSuspects: () => {},
        onInterrupts: () => {},
        stopping: stopping.signal,
      };
      return new Trigger(context, ledger, stopping);
    } catch (error) {
      await ledger.close();
      throw error;
    }
  }

  /** UUID of this trigger: `firings.owner` of its claims and its row in `triggers`. */
  get id(): string {
    return this.context.id;
  }

  /** Where it is in its life. */
  getState(): TriggerState {
    return this.#state;
  }

  /** The passes that {@link run} repeats, each once: for tests, and for whoever wants to drive them by another clock. */
  readonly passes: TriggerPasses = {
    claim: (look) => claim(this.context, look),
    verify: (goOn) => verify(this.context, goOn),
    start: (namespace) => start(this.context, namespace),
    interrupt: (goOn) => interrupt(this.context, goOn),
    observe: (goOn) => observe(this.context, goOn),
    reconcile: (goOn) => reconcile(this.context, goOn),
    reset: (goOn) => reset(this.context, goOn),
    redrive: (goOn) => redrive(this.context, goOn),
    heartbeat: () => heartbeat(this.context, this.#identity),
    sweep: () => sweep(this.context),
    adopt: () => adopt(this.context),
  };

  /**
   * Fire schedules until {@link shutdown}. Postgres or Temporal away is waited out.
   *
   * @throws {SchemaTooNewError} once it has stopped by itself, as by {@link shutdown}, since the schema has left it behind
   * @throws {Error} when called twice
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
    let beaten: () => void = () => {};
    const firstBeat = new Promise<void>((resolve) => {
      beaten = resolve;
    });
    const beat = () => this.passes.heartbeat().then(beaten);
    const beating = heartbeatLoop(this.context, { ...this.passes, heartbeat: beat });
    this.ledger.onOther(() => beating.wake());
    const working = workLoops(this.context, this.passes);
    logger.info('trigger running', { triggerId: this.id, schema: this.context.store.schema });
    beating.start();
    await Promise.race([firstBeat, stopRequested]);
    if (!signal.aborted) for (const loop of working) loop.start();

    await stopRequested;
    await Promise.all(working.map((loop) => loop.stop()));
    await this.#handBack(beating);
    logger.info('trigger stopped', { triggerId: this.id });
    if (this.#leftBehind) throw this.#leftBehind;
  }

  /**
   * Claim nothing more, let the starts in flight finish and link, hand the rest back; {@link run} then returns. Before
   * {@link run} it makes that return at once.
   */
  shutdown(): void {
    if (this.#state === 'RUNNING') this.#state = 'STOPPING';
    this.stopping.abort();
  }

  /** What it would write may no longer be what a newer program reads. */
  #stopLeftBehind(error: SchemaTooNewError): void {
    if (this.#leftBehind) return;
    this.#leftBehind = error;
    this.context.logger.error('the schema has left this trigger behind; it stops', { error: error.message });
    this.shutdown();
  }

  /**
   * Let go of a trigger that never ran.
   *
   * @throws {Error} while it runs: {@link shutdown} stops it
   */
  async close(): Promise<void> {
    if (this.#state === 'RUNNING' || this.#state === 'STOPPING') {
      throw new Error(`this trigger is ${this.#state}; call shutdown() and await run()`);
    }
    await this.#disconnect();
  }

  async #handBack(beating: Ticker): Promise<void> {
    const { store, clock, logger, queue } = this.context;
    queue.clear();
    try {
      const releasing = releaseClaims(store, this.id, new Date(clock.now()));
      // Until then it is alive: tens of thousands take longer than others wait before they take over.
      const released = await releasing.finally(() => beating.stop());
      if (released > 0) logger.info('claims handed back', { firings: released });
      await signOff(store, this.id);
    } catch (error) {
      logger.warn('claims could not be handed back; another trigger takes them over', {
        error: (error as Error).message,
      });
    }
    await this.#disconnect();
  }

  async #disconnect(): Promise<void> {
    this.#state = 'STOPPED';
    try {
      await this.context.temporal.close();
    } finally {
      await this.ledger.close();
    }
  }
}
