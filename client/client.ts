import type { Workflow } from '@temporalio/common';
import { allProblems } from '../core/definition/all-problems';
import { checkOptions, type Problem } from '../core/options';
import type { ScheduleOptions, ScheduleOptionsStartWorkflowAction } from '../core/schedule';
import { compare } from '../moving/compare/compare';
import type { ComparedOccurrence, CompareOptions } from '../moving/compare/compare-options';
import { cutOver } from '../moving/cut-over/cut-over';
import { importSchedules } from '../moving/import/import';
import type { ImportOptions, ImportResult } from '../moving/import/import-options';
import type { CutOverOptions, MoveOptions, MoveResult } from '../moving/move-options';
import { rollBack } from '../moving/roll-back/roll-back';
import type { Firing } from '../store/reads/read-firings';
import { type FiringStats, readStats } from '../store/reads/stats';
import { type AliveTrigger, readAliveTriggers } from '../store/triggers';
import { Alerts } from './alerts/alerts';
import { applySchedules } from './apply/apply';
import type { ApplyOptions, ApplyResult } from './apply/apply-options';
import { Sources } from './apply/sources';
import type { TransactionOptions } from './backfill/within';
import { Bulk } from './bulk/bulk';
import { Calendars } from './calendars/calendars';
import { withoutCalendars } from './calendars/fill-days';
import {
  clientOptions,
  compareOptions,
  cutOverOptions,
  importOptions,
  moveOptions,
  transactionOptions,
} from './call-options';
import type { EscapementClientOptions } from './client-options';
import { type ClientContext, clientContext } from './context';
import { createSchedule } from './create';
import type { ScheduleSummary } from './describe/schedule-description';
import { Freezes } from './freezes/freezes';
import { ScheduleHandle } from './handle';
import { DeadLetters } from './letters/dead-letters';
import { inTenant, statsFilter } from './list/filters';
import { type FiringsPage, listFirings, listFiringsPage } from './list/firings';
import { type GapsPage, type ListGapsOptions, listGapsPage } from './list/gaps';
import { listSchedules, listSchedulesPage, type SchedulePage } from './list/list';
import type { ListFiringsOptions, ListSchedulesOptions } from './list/list-options';
import { type Overview, readOverviewOf } from './overview/overview';
import { checkSchedule } from './register';
import { Settings } from './settings/settings';
import { Tenants } from './tenants/tenants';

/**
 * Registers schedules and reads their history. Shaped like Temporal's `ScheduleClient`; needs Postgres alone.
 *
 * @see `docs/schedules.md`; https://typescript.temporal.io/api/classes/client.ScheduleClient
 */
export class EscapementClient {
  readonly #context: ClientContext;
  /** Firings that need a person. */
  readonly deadLetters: DeadLetters;
  /** What declares schedules in code, and its revision. */
  readonly sources: Sources;
  /** What all triggers of the ledger agree on. */
  readonly settings: Settings;
  /** What an operator allows tenants. */
  readonly tenants: Tenants;
  /** What people are told of before they ask. */
  readonly alerts: Alerts;
  /** Stretches of time in which nothing of some schedules starts. */
  readonly freezes: Freezes;
  /** Named calendars of days, which specs skip or keep to. */
  readonly calendars: Calendars;
  /** Changes of many schedules at once. */
  readonly bulk: Bulk;

  /** Opens no connection yet. @throws {InvalidOptionError} without `pool` or `connectionString`, or for an option that cannot be */
  constructor(options: EscapementClientOptions) {
    checkOptions(clientOptions, options);
    this.#context = clientContext(options);
    this.deadLetters = new DeadLetters(this.#context);
    this.sources = new Sources(this.#context);
    this.settings = new Settings(this.#context);
    this.tenants = new Tenants(this.#context);
    this.alerts = new Alerts(this.#context);
    this.freezes = new Freezes(this.#context);
    this.calendars = new Calendars(this.#context);
    this.bulk = new Bulk(this.#context);
  }

  /**
   * Register a schedule. From this instant on each of its occurrences gets its answer. `state.backfill` follows as calls of
   * {@link ScheduleHandle.backfill} do: a process that ends in the middle leaves the rest to be asked for again.
   *
   * @throws {InvalidScheduleError} with the path of the bad field; nothing was written
   * @throws {ScheduleAlreadyRunning} when a live schedule has the ID
   * @throws {TenantQuotaError} when its tenant has as many schedules as it may
   * @throws {ExternalIdTakenError} when another live schedule of its tenant has its `externalId`
   * @throws {ScheduleLockedError} when another transaction has taken the ID and stays open
   * @throws {RetiredMonthError} for a `state.backfill` of times whose record was retired; nothing was written
   */
  async create<W extends Workflow = Workflow>(
    options: ScheduleOptions<ScheduleOptionsStartWorkflowAction<W>>,
    change: TransactionOptions = {},
  ): Promise<ScheduleHandle> {
    checkOptions(transactionOptions, change);
    await createSchedule(this.#context, options as ScheduleOptions, change);
    return this.getHandle(options.scheduleId);
  }

  /**
   * Everything that {@link create} would refuse of a schedule, by the paths of the bad fields; empty where nothing is wrong. No I/O: what
   * depends on the ledger, such as a quota or a calendar of days, only `create` knows.
   */
  check(options: ScheduleOptions): Problem[] {
    return allProblems(options, (given: ScheduleOptions) => checkSchedule(this.#context, withoutCalendars(given)));
  }

  /**
   * Bring the schedules that a program declares to what it declares: create what is new, update what differs, leave alone
   * what does not, and with `prune` delete what the same `source` declared before. All of the list is checked before
   * anything is written; then it goes in batches with a transaction each, and a call that was interrupted is finished by
   * the next. `state` counts at creation alone.
   *
   * @throws {ApplyRefusedError} with every problem of every schedule; nothing was written
   * @throws {StaleRevisionError} when a higher revision of the source began before, or meanwhile
   * @throws {PruneRefusedError} when more would be deleted than may be; nothing was written
   * @throws {TenantQuotaError} when a tenant would have more schedules than it may; nothing was written
   * @throws {InvalidQueryError} at the first page, for a `query` that cannot be, with the position of what is wrong
   * @throws {ApplyConflictError} when others hold or change the same schedules all the time
   */
  async apply(schedules: readonly ScheduleOptions[], options: ApplyOptions): Promise<ApplyResult> {
    return applySchedules(this.#context, schedules, options);
  }

  /**
   * Import Temporal's own schedules: by the server's answer, one to one, with what they carry byte for byte. Their next hundred
   * instants are compared with the server's list before anything is written. Here they are paused, or in shadow, until
   * a cut-over. May be called again at any time, and goes on.
   *
   * @returns what became of each; what cannot be imported is among them, and holds up no other
   * @throws {InvalidOptionError} for an option that cannot be; nothing was written
   * @see `docs/moving.md`
   */
  async importSchedules(options: ImportOptions): Promise<ImportResult> {
    checkOptions(importOptions, options);
    return importSchedules(this.#context, options);
  }

  /**
   * Hand imported schedules over: Temporal's own are paused, with a note that names us, and these here go on. Native starts the
   * nominal times before the instant, this ledger those from it on. Killed anywhere and called again, it ends right.
   *
   * @returns what became of each; what cannot be moved is among them, and holds up no other
   * @throws {InvalidOptionError} for an option that cannot be, and unless one of `scheduleIds`, `query` and `all` is given
   * @see `docs/moving.md`
   */
  async cutOver(options: CutOverOptions): Promise<MoveResult> {
    checkOptions(cutOverOptions, options);
    return cutOver(this.#context, options);
  }

  /**
   * Hand schedules back: these here are paused, and Temporal's own unpaused. What neither has come to runs here, for its own time.
   *
   * @returns as {@link cutOver} does
   * @throws {InvalidOptionError} as {@link cutOver} does
   * @see `docs/moving.md`
   */
  async rollBack(options: MoveOptions): Promise<MoveResult> {
    checkOptions(moveOptions, options);
    return rollBack(this.#context, options);
  }

  /**
   * What Temporal's own schedules did and what would have been done here, occurrence by occurrence, of schedules in shadow.
   *
   * @throws {InvalidOptionError} at the first, for an option that cannot be, or a schedule that was not imported
   * @see `docs/moving.md`
   */
  compare(options: CompareOptions): AsyncIterable<ComparedOccurrence> {
    checkOptions(compareOptions, options);
    return compare(this.#context, options);
  }

  /** A handle for a schedule, whether it exists or not. No I/O. @throws {InvalidOptionError} for an ID that none can have */
  getHandle(scheduleId: string): ScheduleHandle {
    return new ScheduleHandle(this.#context, scheduleId);
  }

  /**
   * Live schedules that match all that is given, in the order of their IDs or of their next fire times, read page by page.
   * Each page goes on behind the last schedule of the one before: what changes meanwhile never hides another. In the order
   * of fire times a schedule that fires while it is listed comes again, with its next time.
   *
   * @throws {InvalidOptionError} at the first page, for a filter that cannot be
   * @throws {InvalidQueryError} at the first page, for a `query` that cannot be, with the position of what is wrong
   * @see https://typescript.temporal.io/api/classes/client.ScheduleClient#list
   */
  list(options: ListSchedulesOptions = {}): AsyncIterable<ScheduleSummary> {
    return listSchedules(this.#context, options);
  }

  /**
   * One page of {@link list}: the first, or the one behind the `nextCursor` of another.
   *
   * @throws {InvalidOptionError} for a filter that cannot be, or a cursor of another order
   */
  async listPage(options: ListSchedulesOptions & { cursor?: string | undefined } = {}): Promise<SchedulePage> {
    return listSchedulesPage(this.#context, options);
  }

  /**
   * Firings of all schedules that match all that is given, those of deleted ones too, newest first unless `order` says
   * otherwise, read page by page.
   *
   * @throws {InvalidOptionError} at the first page, for a filter that cannot be
   */
  firings(options: ListFiringsOptions = {}): AsyncIterable<Firing> {
    return listFirings(this.#context, options);
  }

  /**
   * One page of {@link firings}: the first, or the one behind the `nextCursor` of another.
   *
   * @throws {InvalidOptionError} for a filter that cannot be, or a cursor of another order
   */
  async firingsPage(options: ListFiringsOptions & { cursor?: string | undefined } = {}): Promise<FiringsPage> {
    return listFiringsPage(this.#context, options);
  }

  /**
   * One page of the gaps of all schedules, what was written last first. It is the first page, or the one behind the `nextCursor`
   * of another.
   *
   * @throws {InvalidOptionError} for a filter that cannot be, or a cursor of something else
   */
  async gapsPage(options: ListGapsOptions = {}): Promise<GapsPage> {
    return listGapsPage(this.#context, options);
  }

  /** Counts over the firings and gaps of all time, and open dead letters, of one tenant or all. @throws {InvalidOptionError} for other filters */
  async stats(options: { tenant?: string | undefined } = {}): Promise<FiringStats> {
    checkOptions(statsFilter, options);
    await this.#context.ready();
    return readStats(this.#context.store, { tenant: inTenant(this.#context, options).tenant });
  }

  /**
   * The triggers that are alive, those of the oldest program first: a sign of life is at most ten seconds old. They are of all
   * tenants. None is alive where the list is empty, and nothing fires.
   */
  async triggers(): Promise<AliveTrigger[]> {
    await this.#context.ready();
    return readAliveTriggers(this.#context.store, this.#context.now?.());
  }

  /**
   * What goes on now, of one tenant or all: triggers, namespaces, lag, backlog, and what fires next.
   *
   * @throws {InvalidOptionError} for other filters
   */
  async overview(options: { tenant?: string | undefined } = {}): Promise<Overview> {
    return readOverviewOf(this.#context, options);
  }

  /** Close the connections that this client opened; a pool that was handed in stays open. */
  async close(): Promise<void> {
    await this.#context.store.close();
  }
}
