import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Import a module of the user's. One in TypeScript is loaded by `tsx` where it is installed beside the file or in the folder
 * that the command runs in; else by Node, as far as that can.
 *
 * @throws {Error} that says what to do
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

/** From here on this process reads TypeScript. */
async function loadTsx(file: string): Promise<void> {
  for (const neighbour of [resolve(file), resolve('any')]) {
    try {
      await import(pathToFileURL(createRequire(neighbour).resolve('tsx')).href);
      return;
    } catch {
      // It is not installed there, or not for this version of Node.
    }
  }
}
