/**
 * The client, its errors, and the types of what it takes and returns.
 *
 * @packageDocumentation
 */

export {
  AlertNotFoundError,
  Alerts,
  type ListAlertsOptions,
  type ListSilencesOptions,
  SilenceNotFoundError,
} from './client/alerts/alerts';
export type { SilenceOptions } from './client/alerts/silence-options';
export {
  ApplyConflictError,
  type ApplyProblem,
  ApplyRefusedError,
  PruneRefusedError,
  StaleRevisionError,
} from './client/apply/apply-errors';
export type { AppliedUpdate, ApplyOptions, ApplyProgress, ApplyResult } from './client/apply/apply-options';
export type { ResetSourceOptions } from './client/apply/source-options';
export { SourceNotFoundError, type SourceStatus, type Sources } from './client/apply/sources';
export type { BackfillOptions, BackfillResult } from './client/backfill/backfill-options';
export type { ManualFiringOptions } from './client/backfill/manual';
export { RunAgainError, type RunAgainProblem } from './client/backfill/run-again-error';
export type { RunAgainOptions } from './client/backfill/run-again-options';
export type { BulkPlan } from './client/bulk/ask';
export type { Bulk } from './client/bulk/bulk';
export type {
  BulkOptions,
  BulkPauseOptions,
  BulkTagOptions,
  BulkTriggerOptions,
  BulkUnpauseOptions,
  FollowOptions,
  ListBulkOptions,
} from './client/bulk/bulk-options';
export type { BulkFilter } from './client/bulk/choose';
export { CannotUndoError, OperationNotFoundError, OtherTotalError } from './client/bulk/errors';
export type { BulkStatus, BulkSummary } from './client/bulk/status';
export type {
  CalendarDay,
  CalendarOfOptions,
  ListCalendarsOptions,
  PutCalendarOptions,
} from './client/calendars/calendar-options';
export type { Calendar, CalendarSummary, Calendars, PutCalendarResult } from './client/calendars/calendars';
export { CalendarInUseError, CalendarNotFoundError } from './client/calendars/errors';
export type { ChangedSchedule } from './client/calendars/preview';
export { EscapementClient } from './client/client';
export type { EscapementClientOptions, TemporalClients } from './client/client-options';
export type { DescribedAction, DescribedSearchAttributes, PlainAction } from './client/describe/describe-action';
export type {
  ScheduleDescription,
  ScheduleExecutionActionResult,
  ScheduleExecutionResult,
  ScheduleSummary,
} from './client/describe/schedule-description';
export {
  CannotDecodeError,
  ExclusionError,
  type ExclusionProblem,
  ExternalIdTakenError,
  RetiredMonthError,
  ScheduleAlreadyRunning,
  ScheduleConflictError,
  ScheduleLockedError,
  ScheduleNotFoundError,
} from './client/errors';
export type { Cause, LetterOfCause } from './client/explain/cause';
export type { Explanation, NotYet } from './client/explain/explanation';
export { FreezeNotFoundError, ScheduleFrozenError } from './client/freezes/errors';
export type { FreezeOptions, ListFreezesOptions } from './client/freezes/freeze-options';
export type { FreezeResult, Freezes } from './client/freezes/freezes';
export type { FrozenSchedule } from './client/freezes/preview';
export type { ScheduleHandle } from './client/handle';
export type { CompleteOptions } from './client/letters/complete';
export type { DeadLetters } from './client/letters/dead-letters';
export type { DiscardAllOptions, DiscardCounts, DiscardOptions, RestoreOptions } from './client/letters/discard';
export {
  CannotRestoreError,
  CannotResumeError,
  DeadLetterConflictError,
  DeadLetterNotFoundError,
  DeadLetterStateError,
  RedriveNeedsForceError,
} from './client/letters/errors';
export type { LetterFilter } from './client/letters/filter';
export type { DeadLetterPage, ListLettersOptions } from './client/letters/list';
export type { LetterCounts } from './client/letters/many';
export type { PlannedRedrive, PlanRedriveOptions, RedriveCounts } from './client/letters/plan';
export type { Redrive, RedriveOptions } from './client/letters/redrive';
export type { RedriveAllOptions } from './client/letters/redrive-all';
export type { ResumePlan } from './client/letters/resume-plan';
export type { FiringsPage } from './client/list/firings';
export type { GapsPage, ListGapsOptions } from './client/list/gaps';
export type { SchedulePage } from './client/list/list';
export type { ListFiringsOptions, ListSchedulesOptions } from './client/list/list-options';
export type { NamespaceStatus, Overview } from './client/overview/overview';
export { type LedgerSettings, Settings } from './client/settings/settings';
export type { LedgerSettingsUpdate } from './client/settings/settings-update';
export { TenantNotFoundError, TenantQuotaError } from './client/tenants/errors';
export type { TenantLimitsUpdate } from './client/tenants/limits-update';
export type {
  OutsideSchedule,
  TenantDescription,
  TenantStatus,
  Tenants,
} from './client/tenants/tenants';
export type { TransactionOptions } from './client/transaction';
export type { DeleteOptions } from './client/update/delete-options';
export type { HandedOver } from './client/update/handed-over';
export type { PauseOptions } from './client/update/pause';
export type { ScheduleUpdater } from './client/update/update';
export type { ScheduleVersion, VersionsOptions } from './client/update/versions';
export type { AlertCondition } from './core/alert-defaults';
export type { BulkKind, BulkOperationState, BulkWait } from './core/bulk';
export type { Gap, GapReason } from './core/decisions/catchup';
export type { FreezeCatchUp } from './core/decisions/freeze';
export type { AbandonReason } from './core/decisions/recovery';
export { DEFAULTS } from './core/defaults';
export * from './core/define';
export type { EffectivePolicies, StoredAction } from './core/definition/definition';
export {
  ImpossibleTransitionError,
  InvalidOptionError,
  InvalidScheduleError,
  MissingRightsError,
  PostgresUnreachableError,
  SchemaInUseError,
  SchemaNotMigratedError,
  SchemaTooNewError,
  StatementTimeoutError,
  TemporalUnreachableError,
} from './core/errors';
export type { FiringKey, FiringKind, FiringOutcome, FiringState, Recovery, RunAgain } from './core/firing';
export type { FailedStep } from './core/letters/failed-step';
export {
  type LetterKind,
  type LetterState,
  type RedriveMode,
  RedriveModeError,
  type RedriveRequest,
} from './core/letters/redrive';
export type { Step } from './core/letters/reset-point';
export { InvalidQueryError } from './core/list-query/error';
export { type NextOccurrencesOptions, nextOccurrences } from './core/occurrences';
export type { SkippedDay } from './core/occurrences/days/skipped-day';
export type { Problem } from './core/options';
export type { Outside, TenantLimits } from './core/tenant-limits';
export type { ComparedOccurrence, CompareOptions, Verdict } from './moving/compare/compare-options';
export type { ImportedSchedule, ImportOptions, ImportResult, ImportStatus } from './moving/import/import-options';
export type { CutOverOptions, MovedSchedule, MoveOptions, MoveResult } from './moving/move-options';
export type { Alert, ListedAlert } from './store/alerts/read-alerts';
export type { Silence } from './store/alerts/silences';
export type { BulkCounts, BulkOperation } from './store/bulk/operations';
export type { PostgresOptions } from './store/connection';
export type { Freeze } from './store/freezes/rows';
export type { KyselyTransaction, QueryTransaction, TransactionLike } from './store/join';
export type { OpenLetters } from './store/letters/count-open';
export type { LetterGroup } from './store/letters/groups';
export type { DeadLetter } from './store/letters/read-letters';
export type { DiscardStands } from './store/letters/restore';
export type { PoolClientLike, PoolLike } from './store/pool';
export type { StoredGap } from './store/reads/explain';
export type { FiringFilter } from './store/reads/firing-filter';
export type { FiringOrder } from './store/reads/list-firings';
export type { ListedGap } from './store/reads/list-gaps';
export type { ScheduleOrder } from './store/reads/list-schedules';
export type { LagSummary, NamespaceLoad } from './store/reads/overview';
export type { Firing } from './store/reads/read-firings';
export type { ScheduleFilter } from './store/reads/schedule-filter';
export type { FiringStats } from './store/reads/stats';
export type { LockHolder } from './store/schedules/lock-holders';
export type { FullCap, StartCap } from './store/table-values';
export type { AliveTrigger } from './store/triggers';
export { version } from './version';
