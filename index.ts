export { EscapementClient, type EscapementClientOptions } from './client/client';
export type { ScheduleDescription, ScheduleSummary } from './client/description';
export { ScheduleAlreadyRunning, ScheduleNotFoundError } from './client/errors';
export type { ScheduleHandle } from './client/handle';
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
export type { Firing, FiringFilter } from './store/read-firings';
export { version } from './version';
