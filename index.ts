export type { BackfillOptions, BackfillResult } from './client/backfill';
export { EscapementClient, type EscapementClientOptions } from './client/client';
export type { ScheduleDescription, ScheduleSummary } from './client/description';
export {
  ExclusionError,
  type ExclusionProblem,
  RetiredMonthError,
  ScheduleAlreadyRunning,
  ScheduleConflictError,
  ScheduleNotFoundError,
} from './client/errors';
export type { Explanation, NotYet } from './client/explanation';
export type { ScheduleHandle } from './client/handle';
export type { ManualFiringOptions } from './client/manual';
export type { ScheduleUpdater } from './client/update';
export type { ScheduleVersion } from './client/versions';
export type { Gap, GapReason } from './core/decisions/catchup';
export type { AbandonReason } from './core/decisions/recovery';
export { DEFAULTS } from './core/defaults';
export * from './core/define';
export type { EffectivePolicies, StoredAction } from './core/definition';
export {
  ImpossibleTransitionError,
  InvalidScheduleError,
  NotSupportedError,
  PostgresUnreachableError,
  SchemaNotMigratedError,
  SchemaTooNewError,
  TemporalUnreachableError,
} from './core/errors';
export type { FiringKey, FiringKind, FiringOutcome, FiringState, Recovery } from './core/firing';
export { type NextOccurrencesOptions, nextOccurrences } from './core/occurrences';
export type { PoolClientLike, PoolLike, PostgresOptions } from './store/connection';
export type { StoredGap } from './store/explain';
export type { Firing, FiringFilter } from './store/read-firings';
export type { FiringStats } from './store/stats';
export { version } from './version';
