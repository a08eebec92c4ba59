import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow';
import { SimplePlugin } from '@temporalio/plugin';
import type { BundleOptions, ReplayWorkerOptions, Worker, WorkerOptions } from '@temporalio/worker';
import { z } from 'zod';
import { burying } from './activities/bury-step';
import {
  type ActivityLedger,
  type ActivityLedgerOptions,
  activityLedger,
  LEDGER_FIELDS,
  provideLedger,
} from './activities/ledger';
import { type ActivityTypes, checkParkRules, type ParkRules, parksNothing } from './activities/park-rules';
import type { FailureTextOptions } from './core/letters/failure-text';
import { BURY_STEP } from './core/letters/park';
import { PARK_PATCH } from './core/letters/park-patch';
import { FAILURE_TEXT_FIELDS } from './core/option-fields';
import { checkOptions, type FieldsOf } from './core/options';
import type { PostgresOptions } from './store/connection';
import type { TriggerOptions } from './trigger/options';
import { TRIGGER_FIELDS } from './trigger/options';
import { SharedTrigger } from './trigger/shared-trigger';

export type { ActivityTypes, ParkRules, StepToPark } from './activities/park-rules';

/** What the plugin adds to a worker. With a `pool` or a `connectionString` its activities can call `withLease`. */
export interface EscapementPluginOptions extends ActivityLedgerOptions, FailureTextOptions {
  /**
   * Run a trigger inside the worker's process, from the start of the first worker that has this plugin to the end of the last.
   * Where Postgres or Temporal is away it is tried again, and no worker waits for it. Needs Postgres. @default none
   */
  trigger?: Omit<TriggerOptions, keyof PostgresOptions>;
  /**
   * Hold the workflow of a firing at a step that exhausted its retries, until the step is redriven or discarded: types of
   * activities, `'all'`, or rules. Needs Postgres, and the plugin also where a workflow bundle is built ahead. An empty list drains:
   * it parks nothing more, lets what is parked be decided, and marks no further run. @default no interceptor
   */
  park?: ActivityTypes | ParkRules;
}

const OPTIONS = z.strictObject({
  ...LEDGER_FIELDS,
  ...FAILURE_TEXT_FIELDS,
  trigger: z.strictObject(TRIGGER_FIELDS).optional(),
  // Read by what parks.
  park: z.unknown().optional(),
} satisfies FieldsOf<EscapementPluginOptions>);
/** Without its extension, which the bundler finds: the package is JavaScript, a checkout TypeScript. */
const PARK_INTERCEPTOR = join(__dirname, 'workflows', 'park-interceptor');

/**
 * Wires Escapement into a Temporal worker.
 *
 * @see `docs/park.md`; `docs/installing.md`
 */
export class EscapementPlugin extends SimplePlugin {
  readonly #ledger: ActivityLedger | undefined;
  readonly #trigger: SharedTrigger | undefined;
  #workersRunning = 0;

  /**
   * @throws {InvalidOptionError} for an option that there is not, or that cannot be
   * @throws {TypeError} for `park` without Postgres, or that is no rule
   */
  constructor(private readonly escapement: EscapementPluginOptions) {
    checkOptions(OPTIONS, escapement, 'EscapementPlugin');
    const ledger = escapement.pool || escapement.connectionString ? activityLedger(escapement) : undefined;
    const { park } = escapement;
    super({
      name: 'escapement',
      ...(ledger && {
        workerInterceptors: {
          activity: [provideLedger(ledger)],
          ...(park && { workflowModules: [PARK_INTERCEPTOR] }),
        },
      }),
    });
    this.#ledger = ledger;
    checkPark(park, ledger !== undefined);
    this.#trigger = sharedTrigger(escapement);
  }

  /** @throws {TypeError} for `park` with a workflow bundle that was built without the plugin */
  override configureWorker(options: WorkerOptions): WorkerOptions {
    if (this.escapement.park) checkBundle(options);
    const configured = drained(outermost(this.#withBurying(super.configureWorker(options))), this.escapement.park);
    // The activity that parks a step is local: a worker without others must not begin to take activities off the queue.
    const remote = Object.keys(options.activities ?? {}).some((name) => name !== BURY_STEP);
    return remote || !this.escapement.park ? configured : { ...configured, enableNonLocalActivities: false };
  }

  /** What parks a step speaks as the worker does: by its data converter. */
  #withBurying(options: WorkerOptions): WorkerOptions {
    const { park, keepFailureTexts, redact } = this.escapement;
    if (!park || !this.#ledger) return options;
    const converter = loadDataConverter(options.dataConverter);
    const bury = burying(this.#ledger, park, { converter, keepFailureTexts, redact });
    return { ...options, activities: { ...options.activities, [BURY_STEP]: bury } };
  }

  override configureReplayWorker(options: ReplayWorkerOptions): ReplayWorkerOptions {
    return outermost(super.configureReplayWorker(options));
  }

  override configureBundler(options: BundleOptions): BundleOptions {
    const { workflowInterceptorModules: modules, ...configured } = super.configureBundler(options);
    return modules ? { ...configured, workflowInterceptorModules: parkFirst(modules) } : configured;
  }

  /** The worker's start waits for nothing: until it has run, `runUntil` cannot shut it down. */
  override async runWorker(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
    const running = this.#runWithLedger(() => super.runWorker(worker, next));
    this.#trigger?.enter();
    try {
      await running;
    } finally {
      await this.#trigger?.leave();
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

/** @throws {TypeError} for what no trigger can be made of, which its tries would only log */
function sharedTrigger(options: EscapementPluginOptions): SharedTrigger | undefined {
  const { trigger, park: _, tenant: __, ...postgres } = options;
  if (!trigger) return undefined;
  if (!postgres.pool && !postgres.connectionString) {
    throw new TypeError('EscapementPlugin.trigger: give a pool or a connectionString too');
  }
  return new SharedTrigger({ ...postgres, ...trigger });
}

/** Where nothing more is parked, no further run is marked, and the number of those that need the plugin only falls. */
function drained(options: WorkerOptions, park: EscapementPluginOptions['park']): WorkerOptions {
  if (!park || !parksNothing(park)) return options;
  const { patchActivationCallback: others } = options;
  return { ...options, patchActivationCallback: (input) => input.patchId !== PARK_PATCH && (others?.(input) ?? true) };
}

/** A step that is redriven goes through the interceptors of the user again: they must not have changed what it is redriven with. */
function outermost<Options extends Pick<WorkerOptions, 'interceptors'>>(options: Options): Options {
  const modules = options.interceptors?.workflowModules;
  if (!modules) return options;
  return { ...options, interceptors: { ...options.interceptors, workflowModules: parkFirst(modules) } };
}

function parkFirst(modules: string[]): string[] {
  if (!modules.includes(PARK_INTERCEPTOR)) return modules;
  return [PARK_INTERCEPTOR, ...modules.filter((module) => module !== PARK_INTERCEPTOR)];
}

function checkPark(park: unknown, hasPostgres: boolean): void {
  if (park === undefined) return;
  checkParkRules(park, 'EscapementPlugin.park');
  if (!hasPostgres) throw new TypeError('EscapementPlugin.park: give a pool or a connectionString too');
}

/** The SDK adds no interceptor to a bundle that was built ahead: nothing would be parked, and nobody would know. */
function checkBundle({ workflowBundle: bundle }: WorkerOptions): void {
  if (!bundle) return;
  const code = 'code' in bundle ? bundle.code : readFileSync(bundle.codePath, 'utf8');
  if (code.includes(PARK_PATCH)) return;
  throw new TypeError(
    'EscapementPlugin.park: the workflow bundle was built without it; give `plugins: [new EscapementPlugin({ …, park })]` to bundleWorkflowCode too',
  );
}
