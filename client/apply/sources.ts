import { didYouMean } from '../../core/closest';
import { checkOptions } from '../../core/options';
import { partsOfName } from '../../core/scoped-name';
import { readSources, resetSource, type StoredSource } from '../../store/schedules/sources';
import { resetSourceOptions, sourceOption } from '../call-options';
import type { ClientContext } from '../context';
import { sourceIn } from '../tenant';
import type { ResetSourceOptions } from './source-options';

/** What the ledger knows of a source of schedules: of whatever declares them in code. */
export interface SourceStatus {
  /** Its name, as `apply` is given it. */
  source: string;
  /** The tenant whose clients apply it; undefined for one of all tenants. */
  tenant: string | undefined;
  /** The highest revision that began to be applied: a lower one is stale. */
  revision: number;
  /** Whether that revision was applied to its end. */
  complete: boolean;
  /** How many live schedules it has declared. */
  schedules: number;
}

/** No source of this name has applied anything. Nothing was changed. */
export class SourceNotFoundError extends Error {
  override readonly name = 'SourceNotFoundError';
  constructor(
    /** The name that was given. */
    readonly source: string,
    known: string[],
  ) {
    super(`no source '${source}' has applied schedules${didYouMean(source, known)}`);
  }
}

/**
 * What declares schedules in code, and its revision.
 *
 * @see `docs/schedules.md`
 */
export class Sources {
  constructor(private readonly context: ClientContext) {}

  /** Every source that has ever applied schedules, by name; a client of one tenant sees its own. */
  async list(): Promise<SourceStatus[]> {
    await this.context.ready();
    const { tenant } = this.context;
    return (await readSources(this.context.store))
      .map(statusOf)
      .filter((one) => tenant === undefined || one.tenant === tenant)
      .sort((one, other) => compare(one.source, other.source) || compare(one.tenant ?? '', other.tenant ?? ''));
  }

  /**
   * Set the revision of a source, so that it and every higher one count again: after a rollback of code to an older build,
   * or after a revision that was far too high. An apply of another revision that is under way writes nothing more. No
   * schedule is changed until the next apply.
   *
   * @throws {SourceNotFoundError} where it has never applied anything
   * @throws {InvalidOptionError} for a revision that is not a whole number from 0
   */
  async reset(source: string, options: ResetSourceOptions): Promise<SourceStatus> {
    checkOptions(sourceOption, { source });
    checkOptions(resetSourceOptions, options);
    const { revision } = options;
    await this.context.ready();
    const stored = await resetSource(this.context.store, sourceIn(this.context, source), revision);
    if (stored) return statusOf(stored);
    throw new SourceNotFoundError(
      source,
      (await this.list()).map((one) => one.source),
    );
  }
}

function statusOf({ name, ...status }: StoredSource): SourceStatus {
  const [tenant, source] = partsOfName(name) ?? [undefined, name];
  return { source, tenant, ...status };
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
