import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { ConnectionOptions } from '@temporalio/client';
import type { Logger } from '@temporalio/common';
import { DEFAULTS } from '../core/defaults';
import { type OpenStore, openStore, type PostgresOptions } from '../store/connection';
import { checkSchema } from '../store/meta';
import { releaseClaims } from '../store/start';
import { signOff } from '../store/triggers';
import { version } from '../version';
import { type ClaimResult, claim } from './claim';
import { type Clock, DatabaseClock } from './clock';
import type { TriggerContext, TriggerLimits } from './context';
import { DefinitionCache } from './definitions';
import { heartbeat } from './heartbeat';
import { pinoLogger } from './logging';
import { type ObserveResult, observe } from './observe';
import { StartQueue } from './queue';
import { type ReconcileResult, reconcile } from './reconcile';
import { type StartResult, start } from './start';
import { sweep } from './sweep';
import { connectTemporal } from './temporal-connection';
import { Ticker } from './ticker';

/** How a trigger reaches Postgres and Temporal, and how it behaves. */
export interface TriggerOptions extends PostgresOptions {
  /**
   * How to reach Temporal, as `Connection.connect` takes it. Options rather than a connection, since the trigger's own
   * has the SDK's retries off.
   *
   * @default localhost:7233
   */
  connection?: ConnectionOptions;
  /** @default pino, one JSON line per transition, at level info */
  logger?: Logger;
  /** @default this process's clock, set by the database's at each heartbeat */
  clock?: Clock;
  /** Shown in Temporal as the identity of the starter. @default `escapement@<host>` */
  identity?: string;
  /** @default DEFAULTS.trigger */
  limits?: Partial<TriggerLimits>;
}

/** Life of a trigger, as a Worker's. */
export type TriggerState = 'INITIALIZED' | 'RUNNING' | 'STOPPING' | 'STOPPED';

/** The process that claims firings and starts their workflows. Several share one ledger without a leader. */
export class Trigger {
  #state: TriggerState = 'INITIALIZED';
  #stopped: (() => void) | undefined;
  readonly #identity = { host: hostname(), version };

  private constructor(
    private readonly context: TriggerContext,
    private readonly ledger: OpenStore,
  ) {}

  /**
   * Connect to Postgres and Temporal and check that the schema fits.
   *
   * @throws {PostgresUnreachableError | TemporalUnreachableError} when one does not answer
   * @throws {SchemaNotMigratedError | SchemaTooNewError} when the schema and this program do not fit
   */
  static async create(options: TriggerOptions): Promise<Trigger> {
    const ledger = openStore(options);
    try {
      const limits = { ...DEFAULTS.trigger, ...options.limits };
      const { installationId } = await checkSchema(ledger);
      const temporal = await connectTemporal(options.connection ?? {}, {
        deadlineMilliseconds: limits.startDeadlineMilliseconds,
        identity: options.identity ?? `escapement@${hostname()}`,
      });
      const context: TriggerContext = {
        id: randomUUID(),
        installationId,
        store: ledger,
        temporal,
        clock: options.clock ?? new DatabaseClock(),
        logger: options.logger ?? pinoLogger(),
        limits,
        definitions: new DefinitionCache(),
        queue: new StartQueue(),
      };
      return new Trigger(context, ledger);
    } catch (error) {
      await ledger.close();
      throw error;
    }
  }

  /** UUID of this trigger: `firings.owner` of its claims and its row in `triggers`. */
  get id(): string {
    return this.context.id;
  }

  getState(): TriggerState {
    return this.#state;
  }

  /** The passes that {@link run} repeats, each once: for tests, and for whoever wants to drive them by another clock. */
  readonly passes = {
    claim: (): Promise<ClaimResult> => claim(this.context),
    start: (): Promise<StartResult> => start(this.context),
    observe: (): Promise<ObserveResult> => observe(this.context),
    reconcile: (): Promise<ReconcileResult> => reconcile(this.context),
    heartbeat: (): Promise<void> => heartbeat(this.context, this.#identity),
    sweep: (): Promise<void> => sweep(this.context),
  };

  /**
   * Fire schedules until {@link shutdown}. Postgres or Temporal away is waited out.
   *
   * @throws {Error} when called twice
   */
  async run(): Promise<void> {
    if (this.#state !== 'INITIALIZED') throw new Error(`this trigger is ${this.#state} and cannot run again`);
    this.#state = 'RUNNING';
    const stopRequested = new Promise<void>((resolve) => {
      this.#stopped = resolve;
    });
    const { logger, limits } = this.context;
    // The clock is set before anything is claimed by it.
    const beating = this.#ticker('heartbeat', limits.heartbeatIntervalMilliseconds, () => this.passes.heartbeat());
    const tickers = this.#tickers();
    logger.info('trigger running', { triggerId: this.id, schema: this.context.store.schema });
    await this.passes.heartbeat().catch(() => {});
    for (const ticker of [beating, ...tickers]) ticker.start();

    await stopRequested;
    await Promise.all(tickers.map((ticker) => ticker.stop()));
    await beating.stop();
    await this.#handBack();
    this.#state = 'STOPPED';
    logger.info('trigger stopped', { triggerId: this.id });
  }

  /** Claim nothing more, let the starts in flight finish and link, hand the rest back; {@link run} then returns. */
  shutdown(): void {
    if (this.#state === 'RUNNING') {
      this.#state = 'STOPPING';
      this.#stopped?.();
    }
  }

  /** Let go of a trigger that never ran. */
  async close(): Promise<void> {
    this.#state = 'STOPPED';
    await this.context.temporal.close();
    await this.ledger.close();
  }

  #tickers(): Ticker[] {
    const { limits, queue, clock } = this.context;
    let anythingOpen = true;
    const starting = this.#ticker('start', limits.reconcileIntervalMilliseconds, async () => {
      if (queue.size === 0) return undefined;
      const { linked } = await this.passes.start();
      anythingOpen ||= linked > 0;
      return queue.size > 0 ? 0 : undefined;
    });
    queue.onAdd(() => starting.wake());
    return [
      starting,
      this.#ticker('claim', limits.claimIntervalMilliseconds, async () => {
        const { due, claimed, nextWakeAt } = await this.passes.claim();
        // A full batch of which nothing was ours is another trigger's: looking again at once would only spin.
        if (due === limits.batchSize && claimed.length > 0) return 0;
        return nextWakeAt && due < limits.batchSize ? Math.max(1, nextWakeAt.getTime() - clock.now()) : undefined;
      }),
      this.#ticker('reconcile', limits.reconcileIntervalMilliseconds, async () => {
        const result = await this.passes.reconcile();
        anythingOpen ||= result.anythingOpen;
        return result.deadTriggers.length > 0 || result.taken === limits.batchSize ? 0 : undefined;
      }),
      this.#ticker('observe', limits.observeIntervalMilliseconds, async () => {
        if (!anythingOpen) return undefined;
        const { looked } = await this.passes.observe();
        anythingOpen = looked > 0;
        return looked === limits.batchSize ? 0 : undefined;
      }),
      this.#ticker('sweep', limits.sweepIntervalMilliseconds, () => this.passes.sweep()),
    ];
  }

  /** A loop around a pass that returns how long to pause, or nothing for the interval. */
  #ticker(name: string, intervalMilliseconds: number, pass: () => Promise<unknown>): Ticker {
    const { logger, limits } = this.context;
    return new Ticker({
      name,
      intervalMilliseconds,
      backoffCapMilliseconds: limits.backoffCapMilliseconds,
      logger,
      pass: async () => ((await pass()) as number | undefined) ?? intervalMilliseconds,
    });
  }

  async #handBack(): Promise<void> {
    const { store, clock, logger, queue } = this.context;
    queue.clear();
    try {
      const released = await releaseClaims(store, this.id, new Date(clock.now()));
      if (released > 0) logger.info('claims handed back', { firings: released });
      await signOff(store, this.id);
    } catch (error) {
      logger.warn('claims could not be handed back; another trigger takes them over', {
        error: (error as Error).message,
      });
    }
    await this.context.temporal.close();
    await this.ledger.close();
  }
}
