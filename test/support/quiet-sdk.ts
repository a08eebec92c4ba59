import { DefaultLogger, IllegalStateError, type LogEntry, Runtime } from '@temporalio/worker';

/** Files that follow each other share a process and its runtime, but not their modules. */
const KEPT = Symbol.for('escapement.test.sdk-log');

/** What the SDK and the activities of workers said at warn or above in this process, the oldest first. */
export function sdkLog(): LogEntry[] {
  const kept = globalThis as { [KEPT]?: LogEntry[] };
  kept[KEPT] ??= [];
  return kept[KEPT];
}

/** Of the SDK only errors are printed: the steps that fail in tests are meant to. */
export function quietSdk(): void {
  const printed = new DefaultLogger('ERROR');
  const log = (entry: LogEntry) => {
    sdkLog().push(entry);
    printed.log(entry.level, entry.message, entry.meta);
  };
  try {
    Runtime.install({ logger: new DefaultLogger('WARN', log) });
  } catch (error) {
    // Installed before, and still in use.
    if (!(error instanceof IllegalStateError)) throw error;
  }
}
