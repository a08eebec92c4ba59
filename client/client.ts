import type { Client } from '@temporalio/client';
import type { DataConverter, Workflow } from '@temporalio/common';
import { gapOver } from '../core/decisions/catchup';
import { DEFAULTS } from '../core/defaults';
import { parseScheduleOptions } from '../core/definition';
import { InvalidScheduleError } from '../core/errors';
import type { ScheduleOptions, ScheduleOptionsStartWorkflowAction } from '../core/schedule';
import { zoneOf } from '../core/spec-zone';
import type { PostgresOptions, Store } from '../store/connection';
import { insertSchedule, type NewSchedule, reviveSchedule } from '../store/create-schedule';
import { deleteExclusions, readExclusions } from '../store/exclude';
import { writeLabels } from '../store/labels';
import { lockSchedule } from '../store/lock';
import { type Firing, type FiringFilter, readFiringsPage } from '../store/read-firings';
import { readSchedulesPage } from '../store/read-schedules';
import { type FiringStats, readStats } from '../store/stats';
import { transact } from '../store/transaction';
import { checkRanges } from './backfill-ranges';
import { nowOf } from './change';
import { type ClientContext, clientContext, compileStored } from './context';
import { DeadLetters } from './dead-letters';
import { summarizeLive } from './describe-live';
import type { ScheduleSummary } from './description';
import { ScheduleAlreadyRunning } from './errors';
import { ScheduleHandle } from './handle';
import { fireManually } from './manual';
import { paged } from './paged';

/** How a client reaches the ledger, and who it is. */
export interface EscapementClientOptions extends PostgresOptions {
  /** Who makes the changes, for `schedule_versions.actor` and manual firings. @default `<user>@<host>` */
  identity?: string;
  /** Encodes the arguments of schedules, as the workers decode them. @default Temporal's JSON converter */
  dataConverter?: DataConverter;
  /** Temporal namespace of schedules that name none. @default 'default' */
  namespace?: string;
  /** Used only to look up what a redrive would run again, before it is asked for. @default none: the trigger looks */
  temporal?: Client;
  /** The instant of a change, for tests on a clock of their own. @default the database's clock */
  now?: () => Date;
}

/** Registers schedules and reads their history. Shaped like Temporal's `ScheduleClient`; needs Postgres alone. */
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
  async create<W extends Workflow = Workflow>(
    options: ScheduleOptions<ScheduleOptionsStartWorkflowAction<W>>,
  ): Promise<ScheduleHandle> {
    const parsed = parseScheduleOptions(options as ScheduleOptions, this.#namespace);
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
    const encoded = await codec.encode(parsed);
    const schedule: NewSchedule = {
      ...parsed,
      ...encoded,
      actor: identity,
      nextFireAt: new Date(next),
      now: instant,
    };
    await transact(store, async (transaction) => {
      if (!(await insertSchedule(transaction, schedule))) await this.#revive(transaction, schedule);
      await writeLabels(transaction, [
        { scheduleId: parsed.scheduleId, memo: encoded.memo, searchAttributes: parsed.searchAttributes },
      ]);
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

  /** Live schedules in the order of their IDs, read page by page. */
  list(options: { tenant?: string; pageSize?: number } = {}): AsyncIterable<ScheduleSummary> {
    const { store } = this.#context;
    return paged(options.pageSize, async (last: ScheduleSummary | undefined, size) => {
      await this.#context.ready();
      const page = await readSchedulesPage(store, { tenant: options.tenant, cursor: last?.scheduleId ?? '', size });
      return Promise.all(page.map((row) => summarizeLive(this.#context, row)));
    });
  }

  /** Firings of all schedules, newest first, read page by page. */
  firings(options: FiringFilter & { pageSize?: number } = {}): AsyncIterable<Firing> {
    const { pageSize, ...filter } = options;
    return paged(pageSize, async (cursor: Firing | undefined, size) => {
      await this.#context.ready();
      return readFiringsPage(this.#context.store, filter, { cursor, size });
    });
  }

  /** Counts over the firings and gaps that the ledger still holds, of one tenant or all. */
  async stats(options: { tenant?: string | undefined } = {}): Promise<FiringStats> {
    await this.#context.ready();
    return readStats(this.#context.store, { tenant: options.tenant });
  }

  /** Close the connections that this client opened; a pool that was handed in stays open. */
  async close(): Promise<void> {
    await this.#context.store.close();
  }

  /** The ID was used before: go on with its next version, and answer for the time in between. */
  async #revive(transaction: Store, schedule: NewSchedule): Promise<void> {
    const locked = await lockSchedule(transaction, schedule.scheduleId, schedule.now);
    if (!locked?.deleted) throw new ScheduleAlreadyRunning(schedule.scheduleId);
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
