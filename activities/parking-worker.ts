import type { LoadedDataConverter } from '@temporalio/common';
import { BURY_STEP } from '../core/letters/park';

export interface ParkingWorker {
  converter: LoadedDataConverter;
  /** Whether the plugin has kept the worker from polling for activities. */
  isKeptFromPolling: boolean;
}

/** The workers, by the activity that parks a step: each worker has such an activity of its own. */
const workers = new WeakMap<object, ParkingWorker>();

export function rememberWorker(bury: object, worker: ParkingWorker): void {
  workers.set(bury, worker);
}

/** The worker to which this activity belongs; undefined if the plugin has not made the activity. */
export function workerOf(bury: object | undefined): ParkingWorker | undefined {
  return bury && workers.get(bury);
}

/**
 * Read the worker's options once all plugins have changed them: plugins that are listed after `EscapementPlugin`, such
 * as those of the connection, may set a converter or bring activities.
 *
 * @throws {TypeError} if the worker would not poll for its activities, because plugins listed after this one brought
 * them
 */
export function readFinalOptions(options: {
  activities: Map<string, object>;
  loadedDataConverter: LoadedDataConverter;
  enableNonLocalActivities: boolean;
}): void {
  const worker = workerOf(options.activities.get(BURY_STEP));
  if (!worker) return;
  worker.converter = options.loadedDataConverter;
  const polls = options.enableNonLocalActivities || !worker.isKeptFromPolling;
  if (polls || options.activities.size === 1) return;
  throw new TypeError(
    'EscapementPlugin.park: plugins that are listed after it bring activities, for which the worker would not poll; list EscapementPlugin last, or give `enableNonLocalActivities: true` to Worker.create',
  );
}
