import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { ScheduleOptions } from '../../core/schedule/options';
import { importModule } from '../options/import-module';

/**
 * Reads the schedules from a file, without validating them. The file is either JSON with a list of schedules, or a
 * module that exports schedules, alone or inside lists, objects, Maps, Sets and promises.
 *
 * @throws {Error} if the file cannot be read, has neither a schedule nor a list, or is a module that exports other
 *   objects
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

/** JSON has no infinity, so null is read as a catch-up without limit; `describe --json` prints it in the same way. */
export function parseJson(text: string): unknown {
  return JSON.parse(text, (key, value) =>
    key === 'catchupLimit' && value === null ? Number.POSITIVE_INFINITY : value,
  );
}

async function readModule(file: string): Promise<ScheduleOptions[]> {
  const exported = await importModule(file);
  const found = new Found(file);
  // A CommonJS module has each export twice: by its name, and in the default export. An object that was seen once is
  // not read a second time.
  for (const [name, value] of Object.entries(exported)) {
    if (name !== 'default' && name !== 'module.exports') await found.collectExport(name, value);
  }
  const whole = exported.default;
  if (typeof whole === 'function') found.refuse('default', 'is a function; export what it returns');
  if (isPlain(whole) && !isMeant(whole)) {
    for (const [name, value] of Object.entries(whole as object)) await found.collectExport(name, value);
  } else await found.collectExport('default', whole);
  if (!found.any) throw new Error(`'${file}' exports no schedule`);
  return [...found.schedules];
}

/** Collects the schedules in the exports of a module. Each object is visited once. */
class Found {
  readonly schedules = new Set<ScheduleOptions>();
  /** Whether the module exports a schedule, or a collection that may happen to be empty. */
  any = false;
  readonly #seen = new Set<object>();

  constructor(private readonly file: string) {}

  refuse(path: string, problem: string): never {
    throw new Error(`export '${path}' of '${this.file}' ${problem}`);
  }

  /** A module may export texts, numbers and functions beside schedules. */
  async collectExport(path: string, value: unknown): Promise<void> {
    if (isObject(value)) await this.#collect(path, value);
  }

  async #collect(path: string, value: unknown): Promise<void> {
    if (!isObject(value)) this.refuse(path, 'is not a schedule');
    if (this.#seen.has(value)) return;
    this.#seen.add(value);
    if (isMeant(value)) {
      this.any = true;
      this.schedules.add(value as ScheduleOptions);
    } else if (value instanceof Promise) {
      const settled = await value.catch((error) => this.refuse(path, `was rejected (${(error as Error)?.message})`));
      await this.#collect(path, settled);
    } else if (Array.isArray(value) || value instanceof Set || value instanceof Map) {
      this.any = true;
      // Of a Map, only the values are read.
      const members = value instanceof Map ? [...value] : [...value].entries();
      for (const [key, member] of members) await this.#collect(`${path}[${String(key)}]`, member);
    } else if (isPlain(value)) {
      for (const [key, member] of Object.entries(value)) {
        // Functions are left out here, as they are among the exports of a module.
        if (typeof member !== 'function') await this.#collect(`${path}.${key}`, member);
      }
    } else this.refuse(path, `is of the class ${value.constructor?.name ?? 'unknown'}, and no schedule`);
  }
}

/**
 * Whether a value was meant as a schedule, even if a field is missing or misspelt. A `ScheduleHandle` has a
 * `scheduleId` too, but is not a plain object.
 */
function isMeant(value: unknown): boolean {
  if (!isObject(value)) return false;
  const isDefined = 'spec' in value && 'action' in value;
  return isDefined || ('scheduleId' in value && isPlain(value));
}

function isPlain(value: unknown): boolean {
  if (!isObject(value) || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  // A module namespace object has the prototype null.
  return prototype === Object.prototype || prototype === null;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
