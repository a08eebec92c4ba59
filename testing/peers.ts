import { MissingPackageError } from './errors';

/** `@temporalio/testing`, an optional peer: only real workflows need it. */
export function loadTesting(): Promise<typeof import('@temporalio/testing')> {
  return load('@temporalio/testing', () => import('@temporalio/testing'));
}

/** `@temporalio/worker`, an optional peer: only real workflows need it. */
export function loadWorker(): Promise<typeof import('@temporalio/worker')> {
  return load('@temporalio/worker', () => import('@temporalio/worker'));
}

async function load<Module>(name: string, imported: () => Promise<Module>): Promise<Module> {
  try {
    return await imported();
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND' && `${error}`.includes(name);
    if (!missing && (error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new MissingPackageError(
      `running real workflows in a test needs ${name}; install it, or play every workflow with env.double()`,
      { cause: error },
    );
  }
}
