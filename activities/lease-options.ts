import type { Info } from '@temporalio/activity';
import type { Duration } from '@temporalio/common';
import { z } from 'zod';
import { DEFAULTS } from '../core/defaults';
import { durationMilliseconds } from '../core/definition/shape';
import { duration, durationOrNone, tenantOrAll } from '../core/option-fields';
import { checkOptions, type FieldsOf } from '../core/options';
import { partsOfName, scopedName } from '../core/scoped-name';
import { InvalidLeaseError } from './errors';

/** How long a lease lasts, how long to wait for it, and whose it is. */
export interface LeaseOptions {
  /**
   * The time to live: how long the lease lasts without a renewal, from 1 second to 1 day. The lease of a holder that
   * has died expires within this time.
   * @default 60 seconds
   */
  ttl?: Duration | undefined;
  /**
   * How long to wait, with heartbeats, for a lease that another holder has, or for Postgres to answer; 0 tries only
   * once.
   *
   * @default twice `ttl`, but at most half of the activity's start-to-close timeout
   */
  waitAtMost?: Duration | undefined;
  /**
   * The tenant of the lease. Leases of the same name that belong to different tenants are different leases.
   *
   * @default the worker's tenant, else none
   */
  tenant?: string;
}

export interface LeaseTerms {
  ttlMilliseconds: number;
  waitMilliseconds: number;
}

const leaseOptions = z.strictObject({
  ttl: duration.optional(),
  waitAtMost: durationOrNone.optional(),
  tenant: tenantOrAll,
} satisfies FieldsOf<LeaseOptions>);

const LONGEST_RESOURCE_BYTES = 1_000;
const LONGEST_TTL_MILLISECONDS = 24 * 60 * 60 * 1_000;

/** @throws {InvalidLeaseError} */
export function leaseTerms(resource: string, options: LeaseOptions, info: Info): LeaseTerms {
  checkResource(resource);
  checkOptions(leaseOptions, options, '', (path, problem) => new InvalidLeaseError(`${path}: ${problem}`));
  const shortest = DEFAULTS.lease.shortestTtlMilliseconds;
  const ttlMilliseconds = milliseconds('ttl', options.ttl) ?? DEFAULTS.lease.ttlMilliseconds;
  if (ttlMilliseconds < shortest || ttlMilliseconds > LONGEST_TTL_MILLISECONDS) {
    throw new InvalidLeaseError(
      `ttl: '${options.ttl}' is not between ${shortest / 1_000} second and 1 day; the default is ${DEFAULTS.lease.ttlMilliseconds / 1_000} seconds`,
    );
  }
  const waitMilliseconds =
    options.waitAtMost === 0
      ? 0
      : (milliseconds('waitAtMost', options.waitAtMost) ??
        Math.min(2 * ttlMilliseconds, (info.startToCloseTimeoutMs || Number.POSITIVE_INFINITY) / 2));
  return { ttlMilliseconds, waitMilliseconds };
}

/** @throws {InvalidLeaseError} */
export function leaseKey(resource: string, ofWorker: string | undefined, asked: string | undefined): string {
  // An empty name means none.
  const own = ofWorker || undefined;
  if (own !== undefined && asked !== undefined && asked !== own) {
    throw new InvalidLeaseError(`tenant: '${asked}' is not the tenant of this worker, which works for '${own}' alone`);
  }
  const tenant = asked ?? own;
  if (!tenant && partsOfName(resource)) {
    throw new InvalidLeaseError(
      `resource: '${resource}' is the full name of a tenant's lease; give the tenant as an option instead`,
    );
  }
  return scopedName(tenant, resource);
}

export function checkStep(fn: unknown): void {
  if (typeof fn !== 'function') throw new InvalidLeaseError('fn: is not a function; give a function to run');
}

function checkResource(resource: string): void {
  const fits = typeof resource === 'string' && resource !== '' && Buffer.byteLength(resource) <= LONGEST_RESOURCE_BYTES;
  if (!fits || resource.includes('\0') || !resource.isWellFormed()) {
    throw new InvalidLeaseError(
      `resource: name what only one activity may work on at a time, 1 to ${LONGEST_RESOURCE_BYTES} bytes of text`,
    );
  }
}

function milliseconds(path: string, value: Duration | undefined): number | undefined {
  return value === undefined ? undefined : durationMilliseconds(path, value);
}
