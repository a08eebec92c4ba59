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
 * Registers schedules and reads their history. Its shape follows Temporal's `ScheduleClient`, but it needs only
 * Postgres.
 *
 * @see `docs/schedules.md`; https://typescript.temporal.io/api/classes/client.ScheduleClient
 */
export class EscapementClient {
  readonly #context: ClientContext;
  /** Dead letters: failures that need a person. */
  readonly deadLetters: DeadLetters;
  /** Programs that declare schedules in code, and their revisions. */
  readonly sources: Sources;
  /** Settings that all triggers of the ledger share. */
  readonly settings: Settings;
  /** Limits that an operator sets for tenants. */
  readonly tenants: Tenants;
  /** Alerts, and the silences that mute them. */
  readonly alerts: Alerts;
  /** Freezes: periods in which some schedules start nothing. */
  readonly freezes: Freezes;
  /** Named calendars of days, which specs skip or fire only on. */
  readonly calendars: Calendars;
  /** Changes of many schedules at once. */
  readonly bulk: Bulk;

  /**
   * Does not connect yet. @throws {InvalidOptionError} without `pool` or `connectionString`, or for an option that is
   * not allowed
   */
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
   * Register a schedule. From now on, each of its occurrences gets exactly one answer: a firing or a gap.
   * `state.backfill` then runs as {@link ScheduleHandle.backfill} would. If the process ends before it is finished, you
   * must request the rest again.
   *
   * @throws {InvalidScheduleError} with the path of the bad field; nothing was written
   * @throws {ScheduleAlreadyRunning} when a live schedule has this ID
   * @throws {TenantQuotaError} when its tenant would exceed its quota of schedules
   * @throws {ExternalIdTakenError} when another live schedule of its tenant has its `externalId`
   * @throws {ScheduleLockedError} when another open transaction holds the ID
   * @throws {RetiredMonthError} for a `state.backfill` of times in retired months; nothing was written
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
   * Every problem for which {@link create} would refuse these options, with the path of the bad field; empty if there
   * is none. No I/O: only `create` checks what depends on the ledger, such as a quota or a calendar of days.
   */
  check(options: ScheduleOptions): Problem[] {
    return allProblems(options, (given: ScheduleOptions) => checkSchedule(this.#context, withoutCalendars(given)));
  }

  /**
   * Make the stored schedules match the ones that a program declares. It creates new schedules, updates those that
   * differ, and leaves the others alone. With `prune` it deletes schedules that the same `source` declared before. The
   * whole list is validated before anything is written. It is then written in batches, one transaction each; if a call
   * is interrupted, the next one finishes the work. `state` only applies when a schedule is created.
   *
   * @throws {ApplyRefusedError} with every problem of every schedule; nothing was written
   * @throws {StaleRevisionError} when a higher revision of the source began before, or meanwhile
   * @throws {PruneRefusedError} when it would delete more schedules than allowed; nothing was written
   * @throws {TenantQuotaError} when a tenant would exceed its quota of schedules; nothing was written
   * @throws {InvalidQueryError} at the first page, for a `query` that is not allowed, with the position of what is
   *   wrong
   * @throws {ApplyConflictError} when others keep the same schedules locked, or keep changing them
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
