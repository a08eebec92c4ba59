import { setTimeout } from 'node:timers/promises';
import type { Ledger } from './ledger';
import { Patience } from './wait';

/** Milliseconds between two reads, for each firing that is open: rarely while many are. */
const PAUSE_EACH = 2.5;
const PAUSE = { shortest: 50, longest: 5_000, nothingOpen: 250 };

/**
 * Resolves when so many firings of the schedules whose ID begins with the prefix are closed in the ledger: with the
 * instant, milliseconds since 1970. Reads what is open, which an index has, so that reading does not slow down what is
 * measured; all are counted when nothing is.
 *
 * @throws {Error} when what is open stands still for too long
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
