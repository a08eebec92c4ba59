/**
 * The testing kit: schedules on a virtual clock.
 *
 * @packageDocumentation
 */

export type { Answer } from './answers';
export { createTestDatabase } from './database';
export type { TestDatabase, TestDatabaseOptions } from './database-options';
export type { DoubleBehaviour } from './double/behaviour';
export type { PlayedChain } from './double/played-chain';
export { type StartFault, TemporalDouble, type TemporalDoubleOptions } from './double/temporal-double';
export { nextDstChange } from './dst';
export { TestScheduleEnvironment } from './environment';
export {
  DoubleTakenError,
  MissingPackageError,
  NobodyToRunError,
  StandstillError,
  TimeGoesForwardError,
  TooManyFiringsError,
  TornDownError,
  UnknownFaultError,
  WorkflowTaskFailedError,
} from './errors';
export { type ExpectFiringsOptions, expectFirings } from './expect-firings';
export type { TestScheduleEnvironmentOptions } from './options';
