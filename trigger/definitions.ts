import { isRecord, problemOfStored, readablePartOf, UNREADABLE } from '../core/definition/stored-definition';
import { InvalidScheduleError, UnknownTimeZoneError } from '../core/errors';
import type { FiringKind } from '../core/firing';
import { type CompiledSpec, SharedSpecs } from '../core/occurrences';
import type { Store } from '../store/connection';
import { readDefinitions, type StoredDefinition, type VersionKey } from '../store/schedules/due';

export interface CompiledDefinition extends StoredDefinition {
  compiled: CompiledSpec | Error;
  /**
   * Why this process cannot use the action or the policies; undefined if it can. If this is set, placeholders stand for
   * their parts that cannot be read.
   */
  unreadable?: Error;
}

export type Definitions = (key: VersionKey) => CompiledDefinition;

const VERSIONS_AT_MOST = 20_000;

/** The definitions that were read lately. Above a limit, the least recently used definitions are dropped. */
export class DefinitionCache {
  readonly #versions = new Map<string, CompiledDefinition>();
  readonly #specs = new SharedSpecs();

  constructor(private readonly versionsAtMost = VERSIONS_AT_MOST) {}

  async load(store: Store, keys: VersionKey[]): Promise<Definitions> {
    const loaded = new Map<string, CompiledDefinition>();
    const missing: VersionKey[] = [];
    for (const key of keys) {
      const known = this.#versions.get(versionName(key));
      if (known) loaded.set(versionName(key), known);
      else missing.push(key);
    }
    if (missing.length > 0) {
      for (const row of await readDefinitions(store, missing)) loaded.set(versionName(row), this.#read(row));
    }
    this.#keep(loaded);
    return (key) =>
      loaded.get(versionName(key)) ??
      unreadable(
        { ...key, ...UNREADABLE, namespace: '', spec: {}, hasPayload: false },
        new Error(`its version ${key.version} is not in the ledger`),
      );
  }

  /** A row that cannot be read must not block the rows that were read with it. */
  #read(row: StoredDefinition): CompiledDefinition {
    const problem = problemOfStored(row);
    return problem === undefined ? { ...row, compiled: this.#compile(row) } : unreadable(row, problem);
  }

  #compile({ spec, scheduleId }: StoredDefinition): CompiledSpec | Error {
    try {
      if (isRecord(spec)) return this.#specs.compile(spec, scheduleId);
      return new Error('the stored spec of the schedule is not an object; register it again');
    } catch (error) {
      if (error instanceof InvalidScheduleError || error instanceof UnknownTimeZoneError) return error;
      return new Error(
        `the stored spec of the schedule cannot be read (${(error as Error).message}); register it again`,
      );
    }
  }

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

function unreadable(row: StoredDefinition, problem: Error): CompiledDefinition {
  return { ...row, ...readablePartOf(row), compiled: problem, unreadable: problem };
}

/**
 * The due time of a firing: its nominal time plus its jitter. A manual firing has no jitter. If the spec cannot be
 * evaluated, the jitter is left out.
 */
export function dueAtOf(
  { compiled }: CompiledDefinition,
  { kind, scheduledTime }: { kind: FiringKind; scheduledTime: Date },
): Date {
  return kind === 'manual' || compiled instanceof Error
    ? scheduledTime
    : new Date(compiled.startTime(scheduledTime.getTime()));
}

export function versionName(key: VersionKey): string {
  return `${key.version} ${key.scheduleId}`;
}
