import { readFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ScheduleOptions } from '../core/schedule';

/**
 * The schedules of a file: JSON with a list of them, or a module, of which every export that is a schedule or a list counts.
 * Whether they are well formed is for others to say: what was meant to be one must not go missing.
 *
 * @throws {Error} for a file that cannot be read, or without any
 */
export async function readSchedules(file: string): Promise<ScheduleOptions[]> {
  return extname(file) === '.json' ? readJson(file) : readModule(file);
}

async function readJson(file: string): Promise<ScheduleOptions[]> {
  const list = await readFile(file, 'utf8')
    .then(parseJson)
    .catch((error) => {
      throw new Error(`'${file}' cannot be read as JSON (${(error as Error).message})`);
    });
  if (!Array.isArray(list)) throw new Error(`'${file}' holds no list of schedules`);
  return list;
}

/** JSON has no infinity: null is a catch-up without limit, as `describe --json` prints it. */
export function parseJson(text: string): unknown {
  return JSON.parse(text, (key, value) =>
    key === 'catchupLimit' && value === null ? Number.POSITIVE_INFINITY : value,
  );
}

async function readModule(file: string): Promise<ScheduleOptions[]> {
  const exported: Record<string, unknown> = await import(pathToFileURL(resolve(file)).href).catch((error) => {
    const hint =
      (error as { code?: unknown }).code === 'ERR_UNKNOWN_FILE_EXTENSION'
        ? "compile it first, or run 'node --import tsx node_modules/.bin/escapement …'"
        : (error as Error).message;
    throw new Error(`'${file}' cannot be loaded as a module (${hint})`);
  });
  // A CommonJS module comes as its named exports and, whole, as the default.
  const whole = exported.default;
  const values = [...Object.values(exported), ...(isObject(whole) && !isMeant(whole) ? Object.values(whole) : [])];
  const lists = values.filter((value) => Array.isArray(value) && value.some(isMeant)) as unknown[][];
  const found = new Set([...values.filter(isMeant), ...lists.flat()]);
  // An empty list is a list; without any export that is one, the file is the wrong one.
  if (found.size === 0 && !values.some((value) => Array.isArray(value) && value.length === 0)) {
    throw new Error(`'${file}' exports no schedule`);
  }
  return [...found] as ScheduleOptions[];
}

/** Whether something is a schedule, with a field too few or misspelt perhaps; a handle has an ID, and is none. */
function isMeant(value: unknown): boolean {
  if (!isObject(value)) return false;
  const isDefined = 'spec' in value && 'action' in value;
  return isDefined || ('scheduleId' in value && isPlain(value));
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
