import { setTimeout } from 'node:timers/promises';
import type { ClientContext } from '../../client/context';
import { listFiringsPage } from '../../client/list/firings';
import { readSchedule } from '../../store/reads/read-schedules';

/** Clocks of Temporal, of Postgres and here may differ; both sides live for a moment longer do no harm. */
const CLOCKS_DIFFER_MILLISECONDS = 1_000;
/** A trigger that lives answers and starts within seconds. */
const WAITED_MILLISECONDS = 20_000;
const ASKED_EVERY_MILLISECONDS = 200;

/**
 * Wait until what was due here so far is answered and started: a schedule that is paused starts nothing more, and a native one
 * starts what is due from now on.
 *
 * @returns false where no trigger does it
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
