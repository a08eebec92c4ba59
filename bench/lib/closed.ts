import { setTimeout } from 'node:timers/promises';
import type { Ledger } from './ledger';

const AT_MOST_MILLISECONDS = 1_800_000;
/** Milliseconds between two looks, for each firing that is open: rarely while many are. */
const PAUSE_EACH = 2.5;
const PAUSE = { shortest: 50, longest: 5_000, nothingOpen: 250 };

/**
 * Resolves when so many firings of the schedules whose ID begins with the prefix are closed in the ledger: with the
 * instant, milliseconds since 1970. Looks at what is open, which an index has, so that looking does not slow down what is
 * looked at; all are counted when nothing is.
 *
 * @throws {Error} when that takes longer than half an hour
 */
export async function allClosed(ledger: Ledger, prefix: string, count: number): Promise<number> {
  const deadline = performance.now() + AT_MOST_MILLISECONDS;
  const counted = (states: string) => ledger.count(`state in (${states}) and starts_with(schedule_id, $1)`, [prefix]);
  for (;;) {
    const open = await counted(`'buffered', 'claimed', 'linked'`);
    if (open === 0 && (await counted(`'closed'`)) >= count) return Date.now();
    if (performance.now() > deadline) throw new Error(`gave up waiting for ${count} closed firings of ${prefix}*`);
    const pause = Math.min(PAUSE.longest, Math.max(PAUSE.shortest, open * PAUSE_EACH));
    await setTimeout(open === 0 ? PAUSE.nothingOpen : pause);
  }
}
