import { didYouMean } from '../../core/closest';
import { checkOptions } from '../../core/options';
import { partsOfName } from '../../core/scoped-name';
import { readSources, resetSource, type StoredSource } from '../../store/schedules/sources';
import { resetSourceOptions, sourceOption } from '../call-options';
import type { ClientContext } from '../context';
import { sourceIn } from '../tenant';
import type { ResetSourceOptions } from './source-options';

/** A source in the ledger: a program that declares schedules in code. */
export interface SourceStatus {
  /** Name of the source, as given to `apply`. */
  source: string;
  /** Tenant whose clients apply this source; undefined for a source of all tenants. */
  tenant: string | undefined;
  /** The revision that began last, or that `reset` has set. Lower revisions are stale. */
  revision: number;
  /** Whether that revision was applied completely. */
  complete: boolean;
  /** How many live schedules belong to the source. */
  schedules: number;
}

/** The tenant has no source of this name. Nothing was changed. */
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
 * Programs that declare schedules in code, and their revisions.
 *
 * @see `docs/schedules.md`
 */
export class Sources {
  constructor(private readonly context: ClientContext) {}

  /** Every source that has begun a revision, ordered by name. A client of one tenant sees only its tenant's sources. */
  async list(): Promise<SourceStatus[]> {
    await this.context.ready();
    const { tenant } = this.context;
    return (await readSources(this.context.store))
      .map(statusOf)
      .filter((one) => tenant === undefined || (one.tenant ?? '') === tenant)
      .sort((one, other) => compare(one.source, other.source) || compare(one.tenant ?? '', other.tenant ?? ''));
  }

  /**
   * Set the revision of a source, so that this revision and every higher one may be applied again. Use this after code
   * was rolled back to an older build, or after a revision was far too high by mistake. An apply that has begun another
   * revision writes nothing more. The reset itself changes no schedule.
   *
   * @throws {SourceNotFoundError} if the source has never applied anything
   * @throws {InvalidOptionError} for a name that is not allowed, or a revision that is not a whole number of 0 or more
   */
  async reset(source: string, options: ResetSourceOptions): Promise<SourceStatus> {
    checkOptions(sourceOption, { source });
    checkOptions(resetSourceOptions, options);
    const { revision } = options;
    await this.context.ready();
    const stored = await resetSource(this.context.store, sourceIn(this.context, source), revision);
    if (stored) return statusOf(stored);
    const { tenant = '' } = this.context;
    const sameTenant = (await this.list()).filter((one) => (one.tenant ?? '') === tenant);
    throw new SourceNotFoundError(
      source,
      sameTenant.map((one) => one.source),
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
