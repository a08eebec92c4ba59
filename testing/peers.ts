import { MissingPackageError } from './errors';

/** `@temporalio/testing`, an optional peer: only real workflows need it. */
export function loadTesting(): typeof import('@temporalio/testing') {
  // Not `import()`: Jest cannot load what is imported while a test runs.
  return load('@temporalio/testing', () => require('@temporalio/testing'));
}

/** `@temporalio/worker`, an optional peer: only real workflows need it. */
export function loadWorker(): typeof import('@temporalio/worker') {
  return load('@temporalio/worker', () => require('@temporalio/worker'));
}

function load<Module>(name: string, required: () => Module): Module {
  try {
    return required();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND' || !`${error}`.includes(name)) throw error;
    throw new MissingPackageError(
      `running real workflows in a test needs ${name}; install it, or play every workflow with env.double()`,
      { cause: error },
    );
  }
}
