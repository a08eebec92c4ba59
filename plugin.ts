import { SimplePlugin } from '@temporalio/plugin';
import type { Worker } from '@temporalio/worker';
import { type ActivityLedger, activityLedger, provideLedger } from './activities/ledger';
import { NotSupportedError } from './core/errors';
import type { PostgresOptions } from './store/connection';
import { Trigger, type TriggerOptions } from './trigger/trigger';

/** What the plugin adds to a worker. With a `pool` or a `connectionString` its activities can call `withLease`. */
export interface EscapementPluginOptions extends PostgresOptions {
  /** Run a trigger inside the worker's process, from the worker's start to its end. @default none */
  trigger?: Omit<TriggerOptions, keyof PostgresOptions>;
}

const OPTIONS = ['pool', 'connectionString', 'schema', 'connectionsAtMost', 'queryTimeoutMilliseconds', 'trigger'];
/** Workers that a trigger runs beside already: the plugin given twice acts once. */
const workersWithTrigger = new WeakSet<Worker>();

/** Wires Escapement into a Temporal worker. */
export class EscapementPlugin extends SimplePlugin {
  readonly #ledger: ActivityLedger | undefined;
  #workersRunning = 0;

  /** @throws {NotSupportedError} for an option that is not built yet */
  constructor(private readonly escapement: EscapementPluginOptions) {
    const ledger = escapement.pool || escapement.connectionString ? activityLedger(escapement) : undefined;
    super({ name: 'escapement', ...(ledger && { workerInterceptors: { activity: [provideLedger(ledger)] } }) });
    this.#ledger = ledger;
    const unknown = Object.keys(escapement).find((option) => !OPTIONS.includes(option));
    if (unknown) throw new NotSupportedError(`EscapementPlugin.${unknown}`);
  }

  override async runWorker(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
    const run = () => this.#runWithLedger(() => super.runWorker(worker, next));
    const { trigger: options, ...postgres } = this.escapement;
    if (!options || workersWithTrigger.has(worker)) return run();

    workersWithTrigger.add(worker);
    const trigger = await Trigger.create({ ...postgres, ...options });
    const triggering = trigger.run();
    try {
      await run();
    } finally {
      trigger.shutdown();
      await triggering;
    }
  }

  /** Connections that were opened for activities close with the last worker. */
  async #runWithLedger(run: () => Promise<void>): Promise<void> {
    this.#workersRunning += 1;
    try {
      await run();
    } finally {
      this.#workersRunning -= 1;
      if (this.#workersRunning === 0) await this.#ledger?.close();
    }
  }
}
