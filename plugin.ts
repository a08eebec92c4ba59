/**
 * Adds parked steps, leases and a trigger to a worker.
 *
 * @packageDocumentation
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow';
import { SimplePlugin } from '@temporalio/plugin';
import type { BundleOptions, ReplayWorkerOptions, Worker, WorkerOptions } from '@temporalio/worker';
import { z } from 'zod';
import {
  type ActivityLedger,
  type ActivityLedgerOptions,
  activityLedger,
  LEDGER_FIELDS,
  provideLedger,
} from './activities/ledger';
import { type ActivityTypes, checkParkRules, type ParkRules, parksNothing } from './activities/park-rules';
import { burying } from './activities/park-step';
import { type ParkingWorker, readFinalOptions, rememberWorker, workerOf } from './activities/parking-worker';
import { InvalidOptionError } from './core/errors';
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

/**
 * The parts of Escapement that the plugin adds to a worker. With a `pool` or a `connectionString`, the worker's
 * activities can call `withLease`.
 */
export interface EscapementPluginOptions extends ActivityLedgerOptions, FailureTextOptions {
  /**
   * Options of a trigger that runs inside the worker's process, from the start of the first worker with this plugin
   * until the last one ends. If Postgres or Temporal is away, the trigger keeps retrying, and no worker waits for it to
   * start. If the ledger's schema is too new for this program, the worker continues without a trigger. The trigger
   * needs the Postgres options.
   * @default none
   */
  trigger?: Omit<TriggerOptions, keyof PostgresOptions>;
  /**
   * Activity types, `'all'`, or rules that select the steps to park. If a selected step of a firing fails for good, its
   * workflow waits until a person decides about the step. The schedule's `parkedAtMost` may limit the wait. Parking
   * needs the Postgres options. If a workflow bundle is built ahead, the bundler needs the plugin too. With an empty
   * list no further step is parked, parked steps can still be decided, and new runs do not need the plugin.
   * @default no interceptor
   */
  park?: ActivityTypes | ParkRules;
}

const OPTIONS = z.strictObject({
  ...LEDGER_FIELDS,
  ...FAILURE_TEXT_FIELDS,
  trigger: z.strictObject(TRIGGER_FIELDS).optional(),
  // `checkParkRules` validates `park`.
  park: z.unknown().optional(),
} satisfies FieldsOf<EscapementPluginOptions>);
/** The path has no extension, so that the bundler finds `.js` in the package and `.ts` in a checkout. */
const PARK_INTERCEPTOR = join(__dirname, 'workflows', 'park-interceptor');

/**
 * Adds Escapement to a Temporal worker.
 *
 * @see `docs/park.md`; `docs/installing.md`
 */
export class EscapementPlugin extends SimplePlugin {
  readonly #ledger: ActivityLedger | undefined;
  readonly #trigger: SharedTrigger | undefined;
  #workersRunning = 0;

  /**
   * @throws {InvalidOptionError} for an unknown option or a value that is not allowed; with `park` or `trigger`, also
   *   for a `pool` or `connectionString` that is given but unset
   * @throws {TypeError} for `park` or `trigger` without Postgres
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
    if (park !== undefined || escapement.trigger) checkAddress(escapement);
    checkPark(park, ledger !== undefined);
    this.#trigger = sharedTrigger(escapement);
  }

  /**
   * @throws {InvalidOptionError} for a `pool` or `connectionString` that is given but unset
   * @throws {TypeError} for `park` with a workflow bundle that was built without the plugin
   */
  override configureWorker(options: WorkerOptions): WorkerOptions {
    checkAddress(this.escapement);
    if (this.escapement.park) checkBundle(options);
    return drained(outermost(this.#withBurying(super.configureWorker(options))), this.escapement.park);
  }

  #withBurying(options: WorkerOptions): WorkerOptions {
    const { park, keepFailureTexts, redact } = this.escapement;
    if (!park || !this.#ledger) return options;
    const { [BURY_STEP]: former, ...activities } = (options.activities ?? {}) as Record<string, object>;
    const asked = workerOf(former)?.isKeptFromPolling ? undefined : options.enableNonLocalActivities;
    const worker: ParkingWorker = {
      converter: loadDataConverter(options.dataConverter),
      // Steps are parked by a local activity. So a worker without other activities must not start to poll for activity
      // tasks.
      isKeptFromPolling: asked === undefined && Object.keys(activities).length === 0,
    };
    const bury = burying(this.#ledger, park, { converter: () => worker.converter, keepFailureTexts, redact });
    rememberWorker(bury, worker);
    return {
      ...options,
      activities: { ...activities, [BURY_STEP]: bury },
      enableNonLocalActivities: asked ?? !worker.isKeptFromPolling,
    };
  }

  override configureReplayWorker(options: ReplayWorkerOptions): ReplayWorkerOptions {
    return outermost(super.configureReplayWorker(options));
  }

  override configureBundler(options: BundleOptions): BundleOptions {
    const { workflowInterceptorModules: modules, ...configured } = super.configureBundler(options);
    return modules ? { ...configured, workflowInterceptorModules: parkFirst(modules) } : configured;
  }

  /**
   * The start of the worker does not wait for the trigger. If it waited, `runUntil` could not shut the worker down
   * until the wait was over.
   *
   * @throws {TypeError} with `park`, if all activities of the worker come from plugins that are listed after this one,
   *   and the worker's `enableNonLocalActivities` is not set
   */
  override async runWorker(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
    if (this.escapement.park) readFinalOptions(worker.options);
    const running = this.#runWithLedger(() => super.runWorker(worker, next));
    this.#trigger?.enter();
    try {
      await running;
    } finally {
      await this.#trigger?.leave();
    }
  }

  /** When the last worker has ended, connections that were opened for activities are closed. */
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

/**
 * Refuses an address that was given, but is unset. The worker would start, and each lease would then fail. Bundles and
 * replays need no Postgres, so they can be made without an address.
 *
 * @throws {InvalidOptionError}
 */
function checkAddress(options: EscapementPluginOptions): void {
  if (options.pool || options.connectionString || !('pool' in options || 'connectionString' in options)) return;
  throw new InvalidOptionError(
    'EscapementPlugin.connectionString',
    'is empty, and no pool is given (is DATABASE_URL set?)',
  );
}

/**
 * @throws {TypeError} for a trigger without Postgres. It is thrown here, since the attempts to start the trigger would
 * only log it
 */
function sharedTrigger(options: EscapementPluginOptions): SharedTrigger | undefined {
  const { trigger, park: _, tenant: __, ...postgres } = options;
  if (!trigger) return undefined;
  if (!postgres.pool && !postgres.connectionString) {
    throw new TypeError('EscapementPlugin.trigger: give a pool or a connectionString too');
  }
  return new SharedTrigger({ ...postgres, ...trigger });
}

/**
 * With an empty list, new runs do not use the patch for parking. So the number of runs that need the plugin only falls.
 */
function drained(options: WorkerOptions, park: EscapementPluginOptions['park']): WorkerOptions {
  if (!park || !parksNothing(park)) return options;
  const { patchActivationCallback: others } = options;
  return { ...options, patchActivationCallback: (input) => input.patchId !== PARK_PATCH && (others?.(input) ?? true) };
}

/**
 * A redriven step passes through the user's interceptors again. So the park interceptor must be the outermost one: it
 * sees the step before the others change it.
 */
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

/**
 * Refuses a bundle without the park interceptor. The SDK adds no interceptors to a bundle that was built ahead, so
 * steps would silently not be parked.
 */
function checkBundle({ workflowBundle: bundle }: WorkerOptions): void {
  if (!bundle) return;
  const code = 'code' in bundle ? bundle.code : readFileSync(bundle.codePath, 'utf8');
  if (code.includes(PARK_PATCH)) return;
  throw new TypeError(
    'EscapementPlugin.park: the workflow bundle was built without it; give `plugins: [new EscapementPlugin({ …, park })]` to bundleWorkflowCode too',
  );
}
