import { type CompiledSpec, SharedSpecs } from '../core/occurrences';
import type { Store } from '../store/connection';
import { readDefinitions, type StoredDefinition, type VersionKey } from '../store/schedules/due';

/** An immutable version, ready to be evaluated. `compiled` is the error where its spec cannot be. */
export interface CompiledDefinition extends StoredDefinition {
  compiled: CompiledSpec | Error;
}

/** The definitions that one pass works with. */
export type Definitions = (key: VersionKey) => CompiledDefinition;

const VERSIONS_AT_MOST = 20_000;

/** Definitions that were read lately. Versions are immutable, so that none goes stale in one database; the least used make room. */
export class DefinitionCache {
  readonly #versions = new Map<string, CompiledDefinition>();
  readonly #specs = new SharedSpecs();

  constructor(private readonly versionsAtMost = VERSIONS_AT_MOST) {}

  /** The definitions of these versions, reading at once what is missing. */
  async load(store: Store, keys: VersionKey[]): Promise<Definitions> {
    const loaded = new Map<string, CompiledDefinition>();
    const missing: VersionKey[] = [];
    for (const key of keys) {
      const known = this.#versions.get(versionName(key));
      if (known) loaded.set(versionName(key), known);
      else missing.push(key);
    }
    if (missing.length > 0) {
      for (const row of await readDefinitions(store, missing)) {
        loaded.set(versionName(row), { ...row, compiled: this.#compile(row) });
      }
    }
    this.#keep(loaded);
    return (key) => {
      const definition = loaded.get(versionName(key));
      if (!definition) throw new Error(`version ${key.version} of schedule '${key.scheduleId}' is missing`);
      return definition;
    };
  }

  #compile(row: StoredDefinition): CompiledSpec | Error {
    try {
      return this.#specs.compile(row.spec, row.scheduleId);
    } catch (error) {
      return error as Error;
    }
  }

  /** What was just used goes behind the rest; the front makes room. */
  #keep(used: Map<string, CompiledDefinition>): void {
    for (const [name, definition] of used) {
      this.#versions.delete(name);
      this.#versions.set(name, definition);
    }
    for (const name of this.#versions.keys()) {
      if (this.#versions.size <= this.versionsAtMost) break;
      this.#versions.delete(name);
    }
  }
}

/** When an occurrence is to start: its nominal time plus its jitter. */
export function dueAtOf({ compiled }: CompiledDefinition, scheduledTime: Date): Date {
  return compiled instanceof Error ? scheduledTime : new Date(compiled.startTime(scheduledTime.getTime()));
}

/** A version's key as one text. */
export function versionName(key: VersionKey): string {
  return `${key.version} ${key.scheduleId}`;
}
