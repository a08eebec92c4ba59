import { DefaultLogger, IllegalStateError, Runtime } from '@temporalio/worker';

/** Of the SDK only errors are logged: the steps that fail in tests are meant to. */
export function quietSdk(): void {
  try {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
  } catch (error) {
    // Installed before, and still in use: files that follow each other share a process.
    if (!(error instanceof IllegalStateError)) throw error;
  }
}
