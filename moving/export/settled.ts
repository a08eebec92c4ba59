import { setTimeout } from 'node:timers/promises';
import { type ClientContext, compileStored } from '../../client/context';
import { listFiringsPage } from '../../client/list/firings';
import { ledgerNow } from '../../client/update/change';
import { isPauseOver } from '../../core/decisions/pause';
import { readSchedule } from '../../store/reads/read-schedules';
import { MovingProblem } from '../problem';

/**
 * Margin for differences between the clocks of Temporal and Postgres. Within this margin both sides may be live without
 * harm.
 */
const CLOCKS_DIFFER_MILLISECONDS = 1_000;
/** How long to wait until a trigger has claimed and started what is due. */
const WAITED_MILLISECONDS = 20_000;
const ASKED_EVERY_MILLISECONDS = 200;
const NOT_TWICE = 'both schedules are live, and nothing fires twice';
const UNSETTLED = `its due occurrences were not started here in time; ${NOT_TWICE}: start a trigger, or wait for its tenant's quota, and export again`;

/**
 * Waits until the ledger has answered all due occurrences of the schedule, and started those that it claimed. The
 * function does not wait for a schedule that is paused or deleted.
 *
 * @throws {MovingProblem} if no trigger does this in time, or if jitter delays a start for longer
 */
export async function untilSettled(context: ClientContext, scheduleId: string): Promise<void> {
  const until = Number(await ledgerNow(context)) + CLOCKS_DIFFER_MILLISECONDS;
  const givesUpAt = performance.now() + CLOCKS_DIFFER_MILLISECONDS + WAITED_MILLISECONDS;
  while (performance.now() < givesUpAt) {
    const now = Number(await ledgerNow(context));
    const row = await readSchedule(context.store, scheduleId);
    if (!row || (row.paused && !isPauseOver(row, now))) return;
    // A timed pause that is over is removed only once a trigger has answered the occurrences that were due before.
    const isAnswered = !row.paused && (row.nextFireAt === null || row.nextFireAt.getTime() > until);
    if (isAnswered && now >= until) {
      const filter = { scheduleId, state: ['claimed'], to: new Date(until + 1), pageSize: 1 } as const;
      const { firings } = await listFiringsPage(context, { ...filter, state: [...filter.state] });
      if (firings.length === 0) return;
    }
    if (!isAnswered && row.nextFireAt) {
      const startsAt = compileStored({ scheduleId, definition: row })?.startTime(row.nextFireAt.getTime()) ?? 0;
      if (startsAt > until + WAITED_MILLISECONDS) throw delayed(row.nextFireAt, new Date(startsAt));
    }
    await setTimeout(ASKED_EVERY_MILLISECONDS);
  }
  throw new MovingProblem(UNSETTLED);
}

function delayed(nominal: Date, startsAt: Date): MovingProblem {
  return new MovingProblem(
    `jitter delays its occurrence of ${nominal.toISOString()} until ${startsAt.toISOString()}; ${NOT_TWICE}: export again after that`,
  );
}
