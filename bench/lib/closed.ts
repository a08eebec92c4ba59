import type { Ledger } from './ledger';
import { until } from './wait';

/**
 * Resolves when all firings of the schedules whose ID begins with the prefix are closed in the ledger, and there are so
 * many: with the instant, milliseconds since 1970.
 */
export async function allClosed(ledger: Ledger, prefix: string, count: number, atMostSeconds = 1_800): Promise<number> {
  await until(
    `${count} firings of ${prefix}* to be closed`,
    async () => (await ledger.count(`state = 'closed' and starts_with(schedule_id, $1)`, [prefix])) >= count,
    { everyMilliseconds: count > 5_000 ? 250 : 50, atMostSeconds },
  );
  return Date.now();
}
