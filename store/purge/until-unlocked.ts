import { setTimeout as sleep } from 'node:timers/promises';
import { isLockTimeout } from '../postgres-errors';

/** Time between two attempts at locked rows: as long as an attempt waits, so that other sessions get half of the time. */
const BETWEEN_ATTEMPTS_MILLISECONDS = 2_000;

/**
 * Repeats work that waited too long for a lock. Between two attempts, the locks of the failed attempt are released, so
 * that live schedules fire and triggers raise alerts.
 *
 * @param onWait called before the second attempt
 */
export async function untilUnlocked<Result>(work: () => Promise<Result>, onWait?: () => void): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
    }
    if (attempt === 1) onWait?.();
    await sleep(BETWEEN_ATTEMPTS_MILLISECONDS);
  }
}
