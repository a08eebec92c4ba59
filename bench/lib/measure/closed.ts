import { setTimeout } from 'node:timers/promises';
import type { Ledger } from '../ledger';
import { Patience } from '../wait';

/** The pause between two reads, in milliseconds per open firing, so that reads are rare while many firings are open. */
const PAUSE_EACH = 2.5;
const PAUSE = { shortest: 50, longest: 5_000, nothingOpen: 250 };

/**
 * Resolves when this many firings of the schedules with the prefix are closed in the ledger. The value is the instant
 * at which this was seen, in milliseconds since 1970. Closed firings are counted only once none is open, since only
 * open firings have an index.
 *
 * @throws {Error} if the number of open firings does not change for too long
 */
export async function allClosed(ledger: Ledger, prefix: string, count: number): Promise<number> {
  const patience = new Patience(`${count} closed firings of ${prefix}*`);
  const counted = (states: string) => ledger.count(`state in (${states}) and starts_with(schedule_id, $1)`, [prefix]);
  for (;;) {
    const open = await counted(`'buffered', 'claimed', 'linked'`);
    if (open === 0 && (await counted(`'closed'`)) >= count) return Date.now();
    patience.note(open);
    const pause = Math.min(PAUSE.longest, Math.max(PAUSE.shortest, open * PAUSE_EACH));
    await setTimeout(open === 0 ? PAUSE.nothingOpen : pause);
  }
}
