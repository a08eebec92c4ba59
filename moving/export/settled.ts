import { setTimeout } from 'node:timers/promises';
import type { ClientContext } from '../../client/context';
import { listFiringsPage } from '../../client/list/firings';
import { readSchedule } from '../../store/reads/read-schedules';

/**
 * Margin for differences between the clocks of Temporal, Postgres and this process. Both sides may be live for a moment
 * without harm.
 */
const CLOCKS_DIFFER_MILLISECONDS = 1_000;
/** A live trigger answers and starts within seconds. */
const WAITED_MILLISECONDS = 20_000;
const ASKED_EVERY_MILLISECONDS = 200;

/**
 * Wait until all due occurrences here are answered and started. A paused schedule starts nothing more, and a native one
 * starts only occurrences that are due from now on.
 *
 * @returns false if no trigger does it in time
 */
export async function isSettled(context: ClientContext, scheduleId: string): Promise<boolean> {
  const until = Date.now() + CLOCKS_DIFFER_MILLISECONDS;
  while (Date.now() < until + WAITED_MILLISECONDS) {
    const row = await readSchedule(context.store, scheduleId);
    if (!row || row.paused) return true;
    const isAnswered = row.nextFireAt === null || row.nextFireAt.getTime() > until;
    if (isAnswered && Date.now() >= until) {
      const filter = { scheduleId, state: ['claimed'], to: new Date(until + 1), pageSize: 1 } as const;
      const { firings } = await listFiringsPage(context, { ...filter, state: [...filter.state] });
      if (firings.length === 0) return true;
    }
    await setTimeout(ASKED_EVERY_MILLISECONDS);
  }
  return false;
}
