import { setTimeout } from 'node:timers/promises';
import type { ClientContext } from '../../client/context';
import { listFiringsPage } from '../../client/list/firings';
import { ledgerNow } from '../../client/update/change';
import { isPauseOver } from '../../core/decisions/pause';
import { readSchedule } from '../../store/reads/read-schedules';

/**
 * Margin for differences between the clocks of Temporal, Postgres and this process. Within this margin both sides may
 * be live without harm.
 */
const CLOCKS_DIFFER_MILLISECONDS = 1_000;
/** How long to wait until a trigger has claimed and started what is due. */
const WAITED_MILLISECONDS = 20_000;
const ASKED_EVERY_MILLISECONDS = 200;

/**
 * Waits until the ledger has answered all due occurrences of the schedule, and started those that it claimed. The
 * function does not wait for a schedule that is paused or deleted.
 *
 * @returns false if no trigger does this in time
 */
export async function isSettled(context: ClientContext, scheduleId: string): Promise<boolean> {
  const until = Date.now() + CLOCKS_DIFFER_MILLISECONDS;
  while (Date.now() < until + WAITED_MILLISECONDS) {
    const row = await readSchedule(context.store, scheduleId);
    if (!row || (row.paused && !isPauseOver(row, Number(await ledgerNow(context))))) return true;
    // A timed pause that is over is removed only once a trigger has answered the occurrences that were due before.
    const isAnswered = !row.paused && (row.nextFireAt === null || row.nextFireAt.getTime() > until);
    if (isAnswered && Date.now() >= until) {
      const filter = { scheduleId, state: ['claimed'], to: new Date(until + 1), pageSize: 1 } as const;
      const { firings } = await listFiringsPage(context, { ...filter, state: [...filter.state] });
      if (firings.length === 0) return true;
    }
    await setTimeout(ASKED_EVERY_MILLISECONDS);
  }
  return false;
}
