import type { Ledger } from './ledger';
import { untilCount } from './wait';

/**
 * Resolves when so many firings of the schedules whose ID begins with the prefix are closed in the ledger: with the
 * instant, milliseconds since 1970.
 */
export async function allClosed(ledger: Ledger, prefix: string, count: number): Promise<number> {
  await untilCount(
    `closed firings of ${prefix}*`,
    count,
    () => ledger.count(`state = 'closed' and starts_with(schedule_id, $1)`, [prefix]),
    { everyMilliseconds: 50, atMostSeconds: 1_800 },
  );
  return Date.now();
}
