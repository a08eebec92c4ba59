/**
 * For activity code: leases and heartbeats.
 *
 * @packageDocumentation
 */

export type { PostgresOptions } from '../store/connection';
export type { TransactionClient } from '../store/leases';
export type { PoolClientLike, PoolLike } from '../store/pool';
export {
  GuardTimeoutError,
  InvalidLeaseError,
  LeaseHeldError,
  LeaseLostError,
  LeasesNotConfiguredError,
} from './errors';
export { type Heartbeat, heartbeatWhile } from './heartbeat-while';
export type { LeaseOptions } from './lease-options';
export { type ActivityLedgerOptions, leaseInterceptor } from './ledger';
export { type Lease, withLease } from './with-lease';
