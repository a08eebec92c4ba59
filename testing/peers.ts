import { MissingPackageError } from './errors';

/** Loads `@temporalio/testing`, an optional peer dependency that only real workflows need. */
export function loadTesting(): typeof import('@temporalio/testing') {
  // The package is loaded by `require`, since Jest cannot load modules by `import()` while a test runs.
  return load('@temporalio/testing', () => require('@temporalio/testing'));
}

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
