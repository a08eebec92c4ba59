import { DEFAULTS } from '../core/defaults';
import { PostgresUnreachableError, StatementTimeoutError } from '../core/errors';
import type { Store } from '../store/connection';
import { acquireLease, type LeaseAttempt } from '../store/leases';
import { LeaseHeldError } from './errors';
import type { LeaseTerms } from './lease-options';
import { pause } from './pause';

const FIRST_PAUSE_MILLISECONDS = 50;

export interface Won {
  token: number;
  /**
   * When the statement that acquired the lease was sent, by the monotonic clock. This process measures the lease's time
   * to live from this instant.
   */
  since: number;
}

/**
 * Tries again when the holder's lease would expire, and before that at growing intervals, since the holder may release
 * the lease early. The function also tries again if Postgres does not answer, or cancels a statement that took too long.
 */
export async function waitForLease(
  store: Store,
  lease: { resource: string; key: string; holder: string } & LeaseTerms,
  { cancelled, onHeld }: { cancelled: AbortSignal; onHeld: () => void },
): Promise<Won> {
  const waitUntil = performance.now() + lease.waitMilliseconds;
  for (let backoff = FIRST_PAUSE_MILLISECONDS; ; backoff = Math.min(2 * backoff, DEFAULTS.lease.pollCapMilliseconds)) {
    cancelled.throwIfAborted();
    const since = performance.now();
    const attempt = await acquireLease(store, { ...lease, resource: lease.key }).catch(whenUnanswered);
    if (!(attempt instanceof Error) && attempt.token !== null) return { token: attempt.token, since };

    const left = waitUntil - performance.now();
    if (left <= 0) throw failureOf(lease.resource, attempt);
    onHeld();
    const jittered = backoff * (0.5 + Math.random() / 2);
    await pause(Math.min(left, jittered, untilExpiry(attempt) ?? jittered), cancelled);
  }
}

type Unanswered = PostgresUnreachableError | StatementTimeoutError;
type Missed = Exclude<LeaseAttempt, { token: number }> | Unanswered;

/**
 * The time until the holder's lease expires, in milliseconds; undefined if it has expired already, or its expiry is
 * unknown.
 */
function untilExpiry(attempt: Missed): number | undefined {
  if (attempt instanceof Error || attempt.millisecondsLeft === null || attempt.millisecondsLeft < 0) return undefined;
  return attempt.millisecondsLeft + 1;
}

function failureOf(resource: string, attempt: Missed): Error {
  if (attempt instanceof Error) return attempt;
  return new LeaseHeldError(resource, attempt.holder ?? undefined, attempt.expiresAt ?? undefined);
}

function whenUnanswered(error: unknown): Unanswered {
  if (error instanceof PostgresUnreachableError || error instanceof StatementTimeoutError) return error;
  throw error;
}
