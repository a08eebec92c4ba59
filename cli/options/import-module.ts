import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Imports a module that the user wrote. A module in TypeScript is loaded by `tsx`, if `tsx` is installed beside the
 * file or in the working directory. Otherwise Node loads the module itself, as far as it can.
 *
 * @throws {Error} if the module cannot be loaded
 */
export async function importModule(file: string): Promise<Record<string, unknown>> {
  if (/\.[cm]?tsx?$/.test(file)) await loadTsx(file);
  try {
    return await import(pathToFileURL(resolve(file)).href);
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    const hint =
      code === 'ERR_UNKNOWN_FILE_EXTENSION' ? "run 'npm install --save-dev tsx', or compile it first" : message;
    throw new Error(`'${file}' cannot be loaded as a module (${hint})`);
  }
}

/** Once `tsx` is registered, this process can load TypeScript. */
async function loadTsx(file: string): Promise<void> {
  for (const neighbour of [resolve(file), resolve('any')]) {
    try {
      await import(pathToFileURL(createRequire(neighbour).resolve('tsx')).href);
      return;
    } catch {
      // Here `tsx` is not installed, or does not support this version of Node.
    }
  }
}
