import { randomUUID } from 'node:crypto';
import { InvalidOptionError } from '../../core/errors';
import { resolveQuery } from '../../core/list-query/resolve';
import { show } from '../../core/occurrences/show';
import { checkOptions } from '../../core/options';
import { readFreezeHandedOver } from '../../store/freezes/handed-over';
import { countMatching } from '../../store/freezes/matching';
import { endFreeze, type Freeze, insertFreeze, readFreeze, readFreezes, wakeThawed } from '../../store/freezes/rows';
import { readNow } from '../../store/now';
import type { Firing } from '../../store/reads/read-firings';
import { readAliveTriggers } from '../../store/triggers';
import type { ClientContext } from '../context';
import { inTenant } from '../list/filters';
import { sourceAsGiven } from '../tenant';
import { FreezeNotFoundError } from './errors';
import { type FreezeOptions, freezeOptions, type ListFreezesOptions, listFreezesOptions } from './freeze-options';
import { type FrozenSchedule, previewFreeze } from './preview';

/** What a freeze came to. */
export interface FreezeResult {
  /** The freeze; of a dry run the one that there would be, without an ID. */
  freeze: Omit<Freeze, 'freezeId'> & {
    /** Its key, a UUID. */
    freezeId?: string;
  };
  /** Live schedules that it is about by now. */
  schedules: number;
  /** Firings that were handed to Temporal ahead, and begin in the freeze all the same: at most 1,000. */
  handedOver: Firing[];
  /** Of a dry run what it would hold back, by schedule ID. */
  frozen?: FrozenSchedule[];
}

const LIMIT = 200;
/** Number of the migration that freezes came with: a trigger made for a schema before fires what is frozen. */
const FIRST_WITH_FREEZES = 45;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Stretches of time in which nothing of some schedules starts, such as over a release.
 *
 * @see `docs/silence.md`
 */
export class Freezes {
  constructor(private readonly context: ClientContext) {}

  /**
   * Hold back what is to start from `from` until `to`. It is in force when the call returns, for the schedules that match when they
   * come due, those that are created meanwhile as well. What was due before `from` fires.
   *
   * @throws {InvalidOptionError} for an option that there is not or that cannot be, or while a trigger is alive that knows no freezes
   * @throws {InvalidQueryError} for a filter that cannot be
   */
  async create(options: FreezeOptions): Promise<FreezeResult> {
    checkOptions(freezeOptions, options);
    await this.context.ready();
    const { store, identity: actor } = this.context;
    const now = await this.#now();
    const { dryRun = false, catchUp = 'NONE', note = null } = options;
    const { to } = options;
    const from = options.from && options.from > now ? options.from : now;
    if (to <= now) throw new InvalidOptionError('to', `${show(to)} is not in the future`);
    if (to <= from) throw new InvalidOptionError('to', `${show(to)} is not later than 'from', ${show(from)}`);
    const scope = this.#scopeOf(options);
    const freeze = { ...scope, from, to, catchUp, note, actor, createdAt: now };
    if (dryRun) {
      const frozen = await previewFreeze(this.context, scope, { from, to });
      const handedOver = await readFreezeHandedOver(store, scope, { from, to });
      const planned = this.#asGiven({ ...freeze, freezeId: '', endedAt: null, endedBy: null });
      return {
        freeze: { ...planned, freezeId: undefined } as FreezeResult['freeze'],
        schedules: frozen.length,
        handedOver,
        frozen,
      };
    }
    await this.#refuseOldTriggers();
    const written = await insertFreeze(store, { ...freeze, freezeId: randomUUID() });
    const schedules = await countMatching(store, scope);
    return {
      freeze: this.#asGiven(written),
      schedules,
      handedOver: await readFreezeHandedOver(store, scope, { from, to }),
    };
  }

  /** Freezes that are in force or to come, the last to begin first. @throws {InvalidOptionError} for another option */
  async list(options: ListFreezesOptions = {}): Promise<Freeze[]> {
    checkOptions(listFreezesOptions, options);
    await this.context.ready();
    const { ended = false, limit = LIMIT } = options;
    const { tenant } = inTenant(this.context, options);
    const rows = await readFreezes(this.context.store, { tenant, ended, now: await this.#now(), limit });
    return rows.map((row) => this.#asGiven(row));
  }

  /** One freeze, over or not. @throws {FreezeNotFoundError} */
  async get(freezeId: string): Promise<Freeze> {
    await this.context.ready();
    const freeze = UUID.test(freezeId) ? await readFreeze(this.context.store, freezeId) : undefined;
    const { tenant } = this.context;
    if (!freeze || (tenant !== undefined && freeze.tenant !== tenant)) throw new FreezeNotFoundError(freezeId);
    return this.#asGiven(freeze);
  }

  /**
   * End a freeze before its time: its schedules go on within a second, and what it held back becomes of it what the freeze says.
   *
   * @throws {FreezeNotFoundError} where there is none of this ID, or it is over
   */
  async end(freezeId: string): Promise<Freeze> {
    const { store, identity: actor, tenant } = this.context;
    await this.get(freezeId);
    const now = await this.#now();
    const ended = await endFreeze(store, freezeId, { tenant, now, actor });
    if (!ended) throw new FreezeNotFoundError(freezeId, 'is over already');
    await wakeThawed(store, now);
    return this.#asGiven(ended);
  }

  #scopeOf(options: FreezeOptions) {
    const { scheduleIds, query, all = false, tenant: _, ...others } = options;
    const said = [scheduleIds, options.source, query, options.tenant].some((part) => part !== undefined);
    if (said === all) {
      const problem = said
        ? 'is for a freeze of everything; leave it out'
        : 'is not said: freeze scheduleIds, a source, a query or a tenant, or say all: true';
      throw new InvalidOptionError('all', problem);
    }
    if (query !== undefined) resolveQuery(query);
    const { tenant, source } = inTenant(this.context, {
      ...others,
      ...(options.tenant === undefined ? {} : { tenant: options.tenant }),
    });
    return { tenant: tenant ?? null, source: source ?? null, query: query ?? null, scheduleIds: scheduleIds ?? null };
  }

  /** @throws {InvalidOptionError} */
  async #refuseOldTriggers(): Promise<void> {
    const [oldest] = await readAliveTriggers(this.context.store, this.context.now?.());
    if (!oldest || oldest.schemaVersion >= FIRST_WITH_FREEZES) return;
    const problem = `cannot hold: trigger ${oldest.id} on ${oldest.host} is of version ${oldest.version}, which knows no freezes; upgrade it first`;
    throw new InvalidOptionError('to', problem);
  }

  async #now(): Promise<Date> {
    return this.context.now?.() ?? readNow(this.context.store);
  }

  #asGiven(freeze: Freeze): Freeze {
    return { ...freeze, source: freeze.source === null ? null : sourceAsGiven(this.context, freeze.source) };
  }
}
