export {
  ApplyConflictError,
  type ApplyProblem,
  ApplyRefusedError,
  PruneRefusedError,
  StaleRevisionError,
} from './client/apply-errors';
export type { AppliedUpdate, ApplyOptions, ApplyProgress, ApplyResult } from './client/apply-options';
export type { BackfillOptions, BackfillResult } from './client/backfill-options';
export type { Cause, LetterOfCause } from './client/cause';
export { EscapementClient } from './client/client';
export type { EscapementClientOptions } from './client/client-options';
export type { DescribedAction, DescribedSearchAttributes, PlainAction } from './client/describe-action';
export type {
  ScheduleDescription,
  ScheduleExecutionActionResult,
  ScheduleExecutionResult,
  ScheduleSummary,
} from './client/description';
export {
  ExclusionError,
  type ExclusionProblem,
  RetiredMonthError,
  ScheduleAlreadyRunning,
  ScheduleConflictError,
  ScheduleLockedError,
  ScheduleNotFoundError,
} from './client/errors';
export type { Explanation, NotYet } from './client/explanation';
export type { FiringsPage } from './client/firings';
export type { HandedOver } from './client/handed-over';
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
export type { ListLettersOptions } from './client/letters/list';
export type { LetterCounts } from './client/letters/many';
export type { PlannedRedrive, PlanRedriveOptions, RedriveCounts } from './client/letters/plan';
export type { Redrive, RedriveOptions } from './client/letters/redrive';
export type { RedriveAllOptions } from './client/letters/redrive-all';
export type { ResumePlan } from './client/letters/resume-plan';
export type { SchedulePage } from './client/list';
export type { ListFiringsOptions, ListSchedulesOptions } from './client/list-options';
export type { ManualFiringOptions } from './client/manual';
export { RunAgainError, type RunAgainProblem } from './client/run-again-error';
export type { RunAgainOptions } from './client/run-again-options';
export type { ResetSourceOptions } from './client/source-options';
export { SourceNotFoundError, type SourceStatus, type Sources } from './client/sources';
export { TenantNotFoundError, TenantQuotaError } from './client/tenants/errors';
export type { TenantLimitsUpdate } from './client/tenants/limits-update';
export type {
  OutsideSchedule,
  TenantDescription,
  TenantStatus,
  Tenants,
} from './client/tenants/tenants';
export type { ScheduleUpdater } from './client/update';
export type { ScheduleVersion } from './client/versions';
export type { TransactionOptions } from './client/within';
export type { Gap, GapReason } from './core/decisions/catchup';
export type { AbandonReason } from './core/decisions/recovery';
export { DEFAULTS } from './core/defaults';
export * from './core/define';
export type { EffectivePolicies, StoredAction } from './core/definition';
export {
  ImpossibleTransitionError,
  InvalidOptionError,
  InvalidScheduleError,
  MissingRightsError,
  NotSupportedError,
  PostgresUnreachableError,
  SchemaInUseError,
  SchemaNotMigratedError,
  SchemaTooNewError,
  TemporalUnreachableError,
} from './core/errors';
export type { FailedStep } from './core/failed-step';
export type { FiringKey, FiringKind, FiringOutcome, FiringState, Recovery, RunAgain } from './core/firing';
export { InvalidQueryError } from './core/list-query/error';
export { type NextOccurrencesOptions, nextOccurrences } from './core/occurrences';
export {
  type LetterKind,
  type LetterState,
  type RedriveMode,
  RedriveModeError,
  type RedriveRequest,
} from './core/redrive';
export type { Step } from './core/reset-point';
export type { Outside, TenantLimits } from './core/tenant-limits';
export type { PostgresOptions } from './store/connection';
export type { StoredGap } from './store/explain';
export type { FiringFilter } from './store/firing-filter';
export type { KyselyTransaction, QueryTransaction, TransactionLike } from './store/join';
export type { LetterGroup } from './store/letters/groups';
export type { OpenLetters } from './store/letters/open';
export type { DiscardStands } from './store/letters/restore';
export type { FiringOrder } from './store/list-firings';
export type { ScheduleOrder } from './store/list-schedules';
export type { LockHolder } from './store/lock-holders';
export type { PoolClientLike, PoolLike } from './store/pool';
export type { Firing } from './store/read-firings';
export type { DeadLetter } from './store/read-letters';
export type { ScheduleFilter } from './store/schedule-filter';
export type { FiringStats } from './store/stats';
export type { AliveTrigger } from './store/triggers';
export { version } from './version';
