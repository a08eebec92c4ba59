import type { Client } from '@temporalio/client';
import type { DataConverter, Workflow } from '@temporalio/common';
import { gapOver } from '../core/decisions/catchup';
import { DEFAULTS } from '../core/defaults';
import { parseScheduleOptions } from '../core/definition';
import { InvalidScheduleError } from '../core/errors';
import type { ScheduleOptions } from '../core/schedule';
import { zoneOf } from '../core/spec-zone';
import type { PostgresOptions, Store } from '../store/connection';
import { insertSchedule, type NewSchedule, reviveSchedule } from '../store/create-schedule';
import { deleteExclusions, readExclusions } from '../store/exclude';
import { lockSchedule } from '../store/lock';
import type { Firing } from '../store/read-firings';
import { type FiringStats, readStats } from '../store/stats';
import { transact } from '../store/transaction';
import { checkRanges } from './backfill-ranges';
import { isForeign, nowOf } from './change';
import { type ClientContext, clientContext, compileStored } from './context';
import { DeadLetters } from './dead-letters';
import type { ScheduleSummary } from './description';
import { ScheduleAlreadyRunning } from './errors';
import { inTenant } from './filters';
import { type FiringsPage, type ListFiringsOptions, listFirings, listFiringsPage } from './firings';
import { ScheduleHandle } from './handle';
import { type ListSchedulesOptions, listSchedules, listSchedulesPage, type SchedulePage } from './list';
import { fireManually } from './manual';
import { scheduleInTenant } from './tenant';

/** How a client reaches the ledger, and who it is. */
export interface EscapementClientOptions extends PostgresOptions {
  /** Who makes the changes, for `schedule_versions.actor` and manual firings. @default `<user>@<host>` */
  identity?: string;
  /** Encodes the arguments of schedules, as the workers decode them. @default Temporal's JSON converter */
  dataConverter?: DataConverter;
  /** Temporal namespace of schedules that name none. @default 'default' */
  namespace?: string;
  /**
   * The one tenant that this client sees and writes: what it creates is the tenant's, and another tenant's schedules,
   * firings and dead letters are not there for it. IDs of schedules stay unique over all tenants. @default all tenants
   */
  tenant?: string;
  /** Used only to look up what a redrive would run again, before it is asked for. @default none: the trigger looks */
  temporal?: Client;
  /** The instant of a change, for tests on a clock of their own. @default the database's clock */
  now?: () => Date;
}

/**
 * Registers schedules and reads their history. Shaped like Temporal's `ScheduleClient`; needs Postgres alone.
 *
 * @see `docs/schedules.md`; https://typescript.temporal.io/api/classes/client.ScheduleClient
 */
export class EscapementClient {
  readonly #context: ClientContext;
  readonly #namespace: string;
  /** Firings that need a person. */
  readonly deadLetters: DeadLetters;

  /** Opens no connection yet. @throws {TypeError} without `pool` or `connectionString` */
  constructor(options: EscapementClientOptions) {
    this.#namespace = options.namespace ?? DEFAULTS.namespace;
    this.#context = clientContext(options);
    this.deadLetters = new DeadLetters(this.#context);
  }

  /**
   * Register a schedule. From this instant on each of its occurrences gets its answer. `state.backfill` follows as calls of
   * {@link ScheduleHandle.backfill} do: a process that ends in the middle leaves the rest to be asked for again.
   *
   * @throws {InvalidScheduleError} with the path of the bad field; nothing was written
   * @throws {ScheduleAlreadyRunning} when a live schedule has the ID
   */
  async create<W extends Workflow = Workflow>(options: ScheduleOptions<W>): Promise<ScheduleHandle> {
    const parsed = parseScheduleOptions(scheduleInTenant(this.#context, options as ScheduleOptions), this.#namespace);
    const { store, codec, identity, now } = this.#context;
    await this.#context.ready();
    const instant = now?.();
    const next = parsed.compiled.next((instant ?? new Date()).getTime());
    if (next === undefined)
      throw new InvalidScheduleError(
        'spec',
        'never fires from now on; give it cron, calendars, intervals or at with times to come',
      );
    checkRanges(parsed.backfill, {
      path: 'state.backfill',
      compiled: parsed.compiled,
      zone: zoneOf(parsed.definition.spec),
      now: nowOf(this.#context),
    });
    const schedule: NewSchedule = {
      ...parsed,
      args: await codec.encode(parsed.args),
      actor: identity,
      nextFireAt: new Date(next),
      now: instant,
    };
    await transact(store, async (transaction) => {
      if (!(await insertSchedule(transaction, schedule))) await this.#revive(transaction, schedule);
      if (parsed.triggerImmediately) await this.#fire(transaction, schedule);
    });
    const handle = this.getHandle(parsed.scheduleId);
    if (parsed.backfill.length > 0) await handle.backfill(parsed.backfill);
    return handle;
  }

  /** A handle for a schedule, whether it exists or not. No I/O. */
  getHandle(scheduleId: string): ScheduleHandle {
    return new ScheduleHandle(this.#context, scheduleId);
  }

  /**
   * Live schedules that match all that is given, in the order of their IDs or of their next fire times, read page by page.
   * Each page goes on behind the last schedule of the one before: what changes meanwhile never hides another. In the order
   * of fire times a schedule that fires while it is listed comes again, with its next time.
   *
   * @throws {RangeError} at the first page, for a filter that cannot be
   * @see https://typescript.temporal.io/api/classes/client.ScheduleClient#list
   */
  list(options: ListSchedulesOptions = {}): AsyncIterable<ScheduleSummary> {
    return listSchedules(this.#context, options);
  }

  /**
   * One page of {@link list}: the first, or the one behind the `nextCursor` of another.
   *
   * @throws {RangeError} for a filter that cannot be, or a cursor of another order
   */
  async listPage(options: ListSchedulesOptions & { cursor?: string | undefined } = {}): Promise<SchedulePage> {
    return listSchedulesPage(this.#context, options);
  }

  /**
   * Firings of all schedules that match all that is given, those of deleted ones too, newest first unless `order` says
   * otherwise, read page by page.
   *
   * @throws {RangeError} at the first page, for a filter that cannot be
   */
  firings(options: ListFiringsOptions = {}): AsyncIterable<Firing> {
    return listFirings(this.#context, options);
  }

  /**
   * One page of {@link firings}: the first, or the one behind the `nextCursor` of another.
   *
   * @throws {RangeError} for a filter that cannot be, or a cursor of another order
   */
  async firingsPage(options: ListFiringsOptions & { cursor?: string | undefined } = {}): Promise<FiringsPage> {
    return listFiringsPage(this.#context, options);
  }

  /** Counts over the firings and gaps that the ledger still holds, of one tenant or all. */
  async stats(options: { tenant?: string | undefined } = {}): Promise<FiringStats> {
    await this.#context.ready();
    return readStats(this.#context.store, { tenant: inTenant(this.#context, options).tenant });
  }

  /** Close the connections that this client opened; a pool that was handed in stays open. */
  async close(): Promise<void> {
    await this.#context.store.close();
  }

  /** The ID was used before: go on with its next version, and answer for the time in between. */
  async #revive(transaction: Store, schedule: NewSchedule): Promise<void> {
    const locked = await lockSchedule(transaction, schedule.scheduleId, schedule.now);
    // The history of a deleted schedule stays its tenant's.
    const isTaken = !locked?.deleted || isForeign(this.#context, locked);
    if (isTaken) throw new ScheduleAlreadyRunning(schedule.scheduleId);
    const former = compileStored(locked);
    const gap = former && gapOver(former, locked.answeredTo.getTime(), locked.now.getTime(), 'deleted');
    // What was excluded was the former schedule's.
    const excluded = await readExclusions(transaction, locked.scheduleId, locked.now);
    await deleteExclusions(transaction, locked, excluded);
    await reviveSchedule(transaction, locked, schedule, gap);
  }

  async #fire(transaction: Store, schedule: NewSchedule): Promise<void> {
    const locked = (await lockSchedule(transaction, schedule.scheduleId, schedule.now))!;
    await fireManually(transaction, locked, { actor: schedule.actor, overlap: undefined });
  }
}
