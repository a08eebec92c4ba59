import { randomUUID } from 'node:crypto';
import { InvalidOptionError } from '../../core/errors';
import { InvalidQueryError } from '../../core/list-query/error';
import { resolveQuery } from '../../core/list-query/resolve';
import { show } from '../../core/occurrences/show';
import { checkOptions } from '../../core/options';
import { isUuid } from '../../core/uuid';
import type { Store } from '../../store/connection';
import { readFreezeHandedOver } from '../../store/freezes/handed-over';
import { countMatching } from '../../store/freezes/matching';
import {
  countFreezes,
  endFreeze,
  type Freeze,
  holdFreezes,
  insertFreeze,
  readFreeze,
  readFreezes,
  waitLonger,
  wakeThawed,
} from '../../store/freezes/rows';
import type { Firing } from '../../store/reads/read-firings';
import { transact } from '../../store/transaction';
import { readAliveTriggers } from '../../store/triggers';
import type { ClientContext } from '../context';
import { inTenant } from '../list/filters';
import { checkAttributes } from '../list/list';
import { sourceAsGiven } from '../tenant';
import { ledgerNow } from '../update/change';
import { FreezeNotFoundError } from './errors';
import { type FreezeOptions, freezeOptions, type ListFreezesOptions, listFreezesOptions } from './freeze-options';
import { type FrozenSchedule, previewFreeze } from './preview';

/** Result of a freeze. */
export interface FreezeResult {
  /** The freeze; for a dry run, the freeze that would be made, without an ID. */
  freeze: Omit<Freeze, 'freezeId'> & {
    /** ID of the freeze, a UUID. */
    freezeId?: string;
  };
  /** Number of live schedules that match now. */
  schedules: number;
  /** Firings that were claimed ahead of their time, and start during the freeze anyway: at most 1,000. */
  handedOver: Firing[];
  /** For a dry run: the schedules that match now, by ID, with the occurrences that the freeze would hold back. */
  frozen?: FrozenSchedule[];
}

const LIMIT = 200;
/** Each claim evaluates the filter. Postgres needs a second for a filter of 10,000 characters. */
const LONGEST_QUERY = 1_000;
/** A claim may need one statement for each freeze of its tenants. */
const MOST_OF_A_TENANT = 100;
/** A claim also reads the freezes that have ended since the oldest unanswered occurrence was due. */
const MOST_ENDED_IN_A_WEEK = 1_000;
const WEEK_MILLISECONDS = 7 * 24 * 60 * 60 * 1_000;
/** Number of the migration that added freezes. A trigger of an older schema version would fire frozen schedules. */
const FIRST_WITH_FREEZES = 45;

/**
 * Periods in which some schedules fire nothing by themselves, such as during a release.
 *
 * @see `docs/silence.md`
 */
export class Freezes {
  constructor(private readonly context: ClientContext) {}

  /**
   * Hold back the firings of specs from `from` until `to`. The freeze applies to schedules that match when a trigger
   * decides on their occurrences, including schedules that are created later. Occurrences due before `from` fire.
   *
   * @throws {InvalidOptionError} for an option that is not allowed, if there are too many freezes, or if a live trigger
   *   is too old for freezes
   * @throws {InvalidQueryError} for a filter that is not allowed
   * @throws {StatementTimeoutError} if claims ahead of time, or other freezes, are written for too long meanwhile
   */
  async create(options: FreezeOptions): Promise<FreezeResult> {
    checkOptions(freezeOptions, options);
    await this.context.ready();
    const { store, identity: actor } = this.context;
    const now = await ledgerNow(this.context);
    const { dryRun = false, catchUp = 'NONE', note = null } = options;
    const { to } = options;
    const from = options.from && options.from > now ? options.from : now;
    if (to <= now) throw new InvalidOptionError('to', `${show(to)} is not in the future`);
    if (to <= from) throw new InvalidOptionError('to', `${show(to)} is not later than 'from', ${show(from)}`);
    const scope = this.#scopeOf(options);
    if (options.query !== undefined) await checkAttributes(this.context, options, resolveQuery(options.query));
    const freeze = { ...scope, from, to, catchUp, note, actor, createdAt: now };
    await this.#refuseOldTriggers();
    if (dryRun) {
      await refuseTooMany(store, scope.tenant, now);
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
    // Schedules are counted before the commit, since a filter that Postgres cannot evaluate must not come into force.
    const { written, schedules } = await transact(store, async (transaction) => {
      await waitLonger(transaction);
      await holdFreezes(transaction, scope.tenant);
      await refuseTooMany(transaction, scope.tenant, now);
      const schedules = await countMatching(transaction, scope);
      return { schedules, written: await insertFreeze(transaction, { ...freeze, freezeId: randomUUID() }) };
    });
    return {
      freeze: this.#asGiven(written),
      schedules,
      handedOver: await readFreezeHandedOver(store, scope, { from, to }),
    };
  }

  /**
   * Freezes in force and planned ones, with `ended` also those that are over, the latest beginning first. A client of
   * one tenant sees only the freezes of its tenant. @throws {InvalidOptionError} for an option that is not allowed
   */
  async list(options: ListFreezesOptions = {}): Promise<Freeze[]> {
    checkOptions(listFreezesOptions, options);
    await this.context.ready();
    const { ended = false, limit = LIMIT } = options;
    const { tenant } = inTenant(this.context, options);
    const rows = await readFreezes(this.context.store, { tenant, ended, now: await ledgerNow(this.context), limit });
    return rows.map((row) => this.#asGiven(row));
  }

  /** One freeze, also after its end. @throws {FreezeNotFoundError} */
  async get(freezeId: string): Promise<Freeze> {
    await this.context.ready();
    const freeze = isUuid(freezeId) ? await readFreeze(this.context.store, freezeId) : undefined;
    const { tenant } = this.context;
    if (!freeze || (tenant !== undefined && freeze.tenant !== tenant)) throw new FreezeNotFoundError(freezeId);
    return this.#asGiven(freeze);
  }

  /**
   * End a freeze early. The call wakes the schedules that the freeze held; a schedule that was locked during the call
   * is woken within about a minute. The freeze's `catchUp` decides which held-back occurrences fire.
   *
   * @throws {FreezeNotFoundError} if no freeze has this ID, or the freeze is over
   */
  async end(freezeId: string): Promise<Freeze> {
    const { store, identity: actor, tenant } = this.context;
    await this.get(freezeId);
    const now = await ledgerNow(this.context);
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
        ? 'freezes everything; leave it out beside a filter'
        : 'is missing: freeze scheduleIds, a source, a query or a tenant, or give all: true';
      throw new InvalidOptionError('all', problem);
    }
    if (query !== undefined && query.length > LONGEST_QUERY) {
      const problem = `is longer than ${LONGEST_QUERY} characters, the most for a freeze; give scheduleIds, or a source`;
      throw new InvalidQueryError(query, LONGEST_QUERY + 1, problem);
    }
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

  #asGiven(freeze: Freeze): Freeze {
    return { ...freeze, source: freeze.source === null ? null : sourceAsGiven(this.context, freeze.source) };
  }
}

/** @throws {InvalidOptionError} if the tenant, or null for all tenants, has as many freezes as are allowed */
async function refuseTooMany(store: Store, tenant: string | null, now: Date): Promise<void> {
  const since = new Date(now.getTime() - WEEK_MILLISECONDS);
  const { standing, ended } = await countFreezes(store, tenant, { now, since });
  const whose = tenant === null ? 'that concern all tenants' : `of tenant ${show(tenant)}`;
  const refuse = (which: string, toDo: string) =>
    new InvalidOptionError('to', `cannot be kept: ${which}, and more are not allowed; ${toDo}`);
  if (standing >= MOST_OF_A_TENANT) {
    const which = `${MOST_OF_A_TENANT} freezes ${whose} are in force or planned`;
    throw refuse(which, 'end one, or freeze more schedules by one');
  }
  if (ended >= MOST_ENDED_IN_A_WEEK) {
    const which = `${MOST_ENDED_IN_A_WEEK} freezes ${whose} have ended within the last seven days`;
    throw refuse(which, 'let one freeze last instead of many');
  }
}
