import type { Workflow } from '@temporalio/common';
import { allProblems } from '../core/definition/all-problems';
import { checkOptions, type Problem } from '../core/options';
import type { ScheduleOptionsStartWorkflowAction } from '../core/schedule/action';
import type { ScheduleOptions } from '../core/schedule/options';
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
import type { TransactionOptions } from './transaction';

/**
 * Registers, changes and reads schedules in the ledger. The client's shape follows Temporal's `ScheduleClient`. The
 * client needs only Postgres, except for calls that use a Temporal client of yours.
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
  /** Freezes: periods in which some schedules fire nothing by themselves. */
  readonly freezes: Freezes;
  /** Named lists of days. A spec can skip the days of a calendar, or fire only on them. */
  readonly calendars: Calendars;
  /** Changes of many schedules at once. */
  readonly bulk: Bulk;

  /**
   * The constructor does not connect. @throws {InvalidOptionError} without `pool` or `connectionString`, or for an
   * option that is not allowed
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
   * Register a schedule. From now on, each of its occurrences gets a firing or lies in a gap. After the registration,
   * the call fires the past occurrences that `state.backfill` names, as {@link ScheduleHandle.backfill} does. If the
   * backfill fails or is interrupted, you must request the rest again.
   *
   * @throws {InvalidScheduleError} with the path of the bad field; nothing was written, unless the search for the
   *   occurrences of `state.backfill` takes too long
   * @throws {ScheduleAlreadyRunning} when a live schedule, or any schedule of another tenant, has this ID
   * @throws {TenantQuotaError} when its tenant would exceed its quota of schedules
   * @throws {ExternalIdTakenError} when another live schedule of its tenant has its `externalId`
   * @throws {ScheduleLockedError} when another open transaction keeps this ID or the quota of its tenant locked
   * @throws {RetiredMonthError} for a `state.backfill` of times in retired months; nothing was written
   * @throws {ScheduleFrozenError} for a `state.backfill` while a freeze holds the schedule; nothing was written
   * @throws {ScheduleConflictError} when others changed its calendars during each of 5 attempts, or updated the new
   *   schedule while its `state.backfill` was written
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
   * The problems of these options, each with the path of the bad field; empty if there is none. The check does no I/O,
   * so it leaves out what depends on the ledger, such as a quota or a calendar of days.
   */
  check(options: ScheduleOptions): Problem[] {
    return allProblems(options, (given: ScheduleOptions) => checkSchedule(this.#context, withoutCalendars(given)));
  }

  /**
   * Make the stored schedules match the ones that a program declares. `apply` creates new schedules, updates those that
   * differ, and leaves the others alone. With `prune`, `apply` deletes schedules that the same `source` declared before
   * and no longer declares. The whole list is validated before anything is written. Then the list is written in
   * batches, one transaction each. If a call is interrupted, the next one finishes the work. `state` only applies when
   * a schedule is created.
   *
   * @throws {ApplyRefusedError} for schedules or options that are not allowed
   * @throws {StaleRevisionError} when another revision of the source, usually a higher one, began before or meanwhile
   * @throws {PruneRefusedError} when the call would delete more schedules than allowed
   * @throws {TenantQuotaError} when a tenant would exceed its quota of schedules
   * @throws {ApplyConflictError} when others keep the same schedules locked, or change them or their calendars
   *   meanwhile
   * @throws {ExternalIdTakenError} when another schedule got a declared `externalId` while the call ran
   */
  async apply(schedules: readonly ScheduleOptions[], options: ApplyOptions): Promise<ApplyResult> {
    return applySchedules(this.#context, schedules, options);
  }

  /**
   * Import Temporal's own schedules under the same IDs. Encoded arguments and memo are copied byte for byte. Before a
   * schedule is written, its next hundred times are compared with the server's own list. Imported schedules are paused
   * here, or in shadow, until a cut-over. A later call imports what is new or has changed.
   *
   * @returns the result for each schedule. One that could not be imported does not affect the others.
   * @throws {InvalidOptionError} for an option that is not allowed; nothing was written
   * @see `docs/moving.md`
   */
  async importSchedules(options: ImportOptions): Promise<ImportResult> {
    checkOptions(importOptions, options);
    return importSchedules(this.#context, options);
  }

  /**
   * Switch imported schedules from Temporal to this ledger. Temporal's own schedules are paused, with a note that names
   * Escapement, and the imported ones fire from then on. A schedule that a person has paused in Temporal stays paused
   * here. Temporal handles the nominal times before the switch, and this ledger the others. Without `takeBuffer`, starts
   * that Temporal has buffered are only listed. If the process is killed, call `cutOver` again to finish.
   *
   * @returns the result for each schedule. One that could not be moved does not affect the others.
   * @throws {InvalidOptionError} for an option that is not allowed, or unless exactly one of `scheduleIds`, `query` and
   *   `all` is given
   * @see `docs/moving.md`
   */
  async cutOver(options: CutOverOptions): Promise<MoveResult> {
    checkOptions(cutOverOptions, options);
    return cutOver(this.#context, options);
  }

  /**
   * Switch schedules back to Temporal: they are paused here, and Temporal's own are unpaused unless a person had paused
   * the schedule. Times that neither side has handled are backfilled here, as overlap and the remaining actions allow.
   * Excluded and frozen ones among them run on neither side.
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
   * For schedules in shadow: what Temporal's own schedules did, compared with what Escapement would have done,
   * occurrence by occurrence.
   *
   * @throws {InvalidOptionError} for an option that is not allowed
   * @throws {InvalidOptionError} at the first read, for a schedule that was not imported, or unless exactly one of
   *   `scheduleIds`, `query` and `all` is given
   * @see `docs/moving.md`
   */
  compare(options: CompareOptions): AsyncIterable<ComparedOccurrence> {
    checkOptions(compareOptions, options);
    return compare(this.#context, options);
  }

  /** A handle for a schedule, whether it exists or not, without I/O. @throws {InvalidOptionError} for an invalid ID */
  getHandle(scheduleId: string): ScheduleHandle {
    return new ScheduleHandle(this.#context, scheduleId);
  }

  /**
   * Live schedules that match every given filter, ordered by ID or by next fire time, read page by page. Each page
   * begins after the last schedule of the previous one, so concurrent changes never hide other schedules. In the order
   * of fire times, a schedule that fires meanwhile may appear again with its next time.
   *
   * @throws {InvalidOptionError} at the first page, for a filter that is not allowed
   * @throws {InvalidQueryError} at the first page, for a `query` that is not allowed, with the position of the error
   * @see https://typescript.temporal.io/api/classes/client.ScheduleClient#list
   */
  list(options: ListSchedulesOptions = {}): AsyncIterable<ScheduleSummary> {
    return listSchedules(this.#context, options);
  }

  /**
   * One page of {@link list}: the first page, or the page after the one whose `nextCursor` is given.
   *
   * @throws {InvalidOptionError} for a filter that is not allowed, or a cursor that is invalid or of another order
   * @throws {InvalidQueryError} for a `query` that is not allowed, with the position of the error
   */
  async listPage(options: ListSchedulesOptions & { cursor?: string | undefined } = {}): Promise<SchedulePage> {
    return listSchedulesPage(this.#context, options);
  }

  /**
   * Firings that match every given filter, also of deleted schedules, read page by page. Newest first unless `order`
   * says otherwise.
   *
   * @throws {InvalidOptionError} at the first page, for a filter that is not allowed
   */
  firings(options: ListFiringsOptions = {}): AsyncIterable<Firing> {
    return listFirings(this.#context, options);
  }

  /**
   * One page of {@link firings}: the first page, or the page after the one whose `nextCursor` is given.
   *
   * @throws {InvalidOptionError} for a filter that is not allowed, or a cursor that is invalid or of another order
   */
  async firingsPage(options: ListFiringsOptions & { cursor?: string | undefined } = {}): Promise<FiringsPage> {
    return listFiringsPage(this.#context, options);
  }

  /**
   * One page of gaps, the last written first: the first page, or the page after the one whose `nextCursor` is given.
   *
   * @throws {InvalidOptionError} for a filter that is not allowed, or a cursor that is invalid or of another list
   */
  async gapsPage(options: ListGapsOptions = {}): Promise<GapsPage> {
    return listGapsPage(this.#context, options);
  }

  /**
   * Counts firings, missed occurrences and open dead letters of one tenant or all. @throws {InvalidOptionError} for an
   * option that is not allowed
   */
  async stats(options: { tenant?: string | undefined } = {}): Promise<FiringStats> {
    checkOptions(statsFilter, options);
    await this.#context.ready();
    return readStats(this.#context.store, { tenant: inTenant(this.#context, options).tenant });
  }

  /**
   * The live triggers of the ledger, oldest schema version first. By default, a trigger is live if its last heartbeat
   * is at most ten seconds old. Without a live trigger nothing is claimed.
   */
  async triggers(): Promise<AliveTrigger[]> {
    await this.#context.ready();
    return readAliveTriggers(this.#context.store, this.#context.now?.());
  }

  /**
   * The current state, of one tenant or all: triggers, namespaces, lag, backlog, and the next firings.
   *
   * @throws {InvalidOptionError} for an option that is not allowed
   */
  async overview(options: { tenant?: string | undefined } = {}): Promise<Overview> {
    return readOverviewOf(this.#context, options);
  }

  /** Close the connections that this client opened. A pool that you passed in stays open. */
  async close(): Promise<void> {
    await this.#context.store.close();
  }
}
