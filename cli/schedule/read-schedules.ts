import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { ScheduleOptions } from '../../core/schedule';
import { importModule } from '../options/import-module';

/**
 * The schedules of a file: JSON with a list of them, or a module that exports them, alone or in lists, objects, Maps, Sets
 * and promises of these. Whether they are well formed is for others to say: what was meant to be one must not go missing.
 *
 * @throws {Error} for a file that cannot be read, without any, or with an export that holds something else
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
  const exported = await importModule(file);
  const found = new Found(file);
  // A CommonJS module comes as its named exports and, whole, as the default: what was seen by its name is not seen again.
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

/** What the exports of a module hold. Each object is checked once. */
class Found {
  readonly schedules = new Set<ScheduleOptions>();
  /** Whether there was a schedule, or a collection that holds none today. */
  any = false;
  readonly #seen = new Set<object>();

  constructor(private readonly file: string) {}

  refuse(path: string, problem: string): never {
    throw new Error(`export '${path}' of '${this.file}' ${problem}`);
  }

  /** Texts, numbers and functions may stand beside schedules. */
  async collectExport(path: string, value: unknown): Promise<void> {
    if (isObject(value)) await this.#collect(path, value);
  }

  async #collect(path: string, value: unknown): Promise<void> {
    if (!isObject(value)) this.refuse(path, 'is no schedule');
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
      // Of a Map only the values count.
      const members = value instanceof Map ? [...value] : [...value].entries();
      for (const [key, member] of members) await this.#collect(`${path}[${String(key)}]`, member);
    } else if (isPlain(value)) {
      for (const [key, member] of Object.entries(value)) {
        // As beside a module's schedules.
        if (typeof member !== 'function') await this.#collect(`${path}.${key}`, member);
      }
    } else this.refuse(path, `is of the class ${value.constructor?.name ?? 'unknown'}, and no schedule`);
  }
}

/** Whether something is a schedule, with a field too few or misspelt perhaps; a handle has an ID, and is none. */
function isMeant(value: unknown): boolean {
  if (!isObject(value)) return false;
  const isDefined = 'spec' in value && 'action' in value;
  return isDefined || ('scheduleId' in value && isPlain(value));
}

function isPlain(value: unknown): boolean {
  if (!isObject(value) || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  // That of a module which was imported whole is null.
  return prototype === Object.prototype || prototype === null;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
