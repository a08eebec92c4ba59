import { DefaultLogger, IllegalStateError, type LogEntry, Runtime } from '@temporalio/worker';

/** Test files that follow each other share a process and the SDK's runtime, but not their modules. */
const KEPT = Symbol.for('escapement.test.sdk-log');

/** Warnings and errors of the SDK and of activities in this process, oldest first. */
export function sdkLog(): LogEntry[] {
  const kept = globalThis as { [KEPT]?: LogEntry[] };
  kept[KEPT] ??= [];
  return kept[KEPT];
}

/** Only errors of the SDK are printed, since tests contain steps that fail on purpose. */
export function quietSdk(): void {
  const printed = new DefaultLogger('ERROR');
  const log = (entry: LogEntry) => {
    sdkLog().push(entry);
    printed.log(entry.level, entry.message, entry.meta);
  };
  try {
    Runtime.install({ logger: new DefaultLogger('WARN', log) });
  } catch (error) {
    // An earlier test file has installed the runtime, which is still in use.
    if (!(error instanceof IllegalStateError)) throw error;
  }
}
