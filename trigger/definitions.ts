import type { ScheduleDefinition } from '../core/definition';
import { type CompiledSpec, compileSpec } from '../core/occurrences';
import type { Store } from '../store/connection';
import { readDefinitions, type VersionKey } from '../store/due';

/** An immutable version, ready to be evaluated. `spec` is the error where it cannot be compiled. */
export interface CompiledDefinition extends ScheduleDefinition {
  compiled: CompiledSpec | Error;
}

const VERSIONS_AT_MOST = 20_000;

/** Definitions that were read lately. Versions are immutable, so that nothing here goes stale; those
 * that were not used for longest make room. */
export class DefinitionCache {
  readonly #versions = new Map<string, CompiledDefinition>();

  /** The definitions of these versions, reading at once what is missing. */
  async load(store: Store, keys: VersionKey[]): Promise<void> {
    const missing = keys.filter((key) => !this.#touch(nameOf(key)));
    if (missing.length === 0) return;
    for (const row of await readDefinitions(store, missing)) {
      this.#versions.set(nameOf(row), { ...row, compiled: compile(row) });
    }
    for (const name of this.#versions.keys()) {
      if (this.#versions.size <= VERSIONS_AT_MOST) break;
      this.#versions.delete(name);
    }
  }

  /** Move a version behind the others, so that it is not what makes room. */
  #touch(name: string): boolean {
    const known = this.#versions.get(name);
    if (!known) return false;
    this.#versions.delete(name);
    this.#versions.set(name, known);
    return true;
  }

  /** A version that {@link load} has read. */
  get(key: VersionKey): CompiledDefinition {
    const definition = this.#versions.get(nameOf(key));
    if (!definition) throw new Error(`version ${key.version} of schedule '${key.scheduleId}' is missing`);
    return definition;
  }
}

function nameOf(key: VersionKey): string {
  return `${key.version} ${key.scheduleId}`;
}

function compile(row: VersionKey & ScheduleDefinition): CompiledSpec | Error {
  try {
    return compileSpec(row.spec, { scheduleId: row.scheduleId });
  } catch (error) {
    return error as Error;
  }
}
