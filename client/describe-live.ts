import { readExclusions } from '../store/exclude';
import type { ScheduleRow } from '../store/read-schedules';
import { nowOf } from './change';
import type { ClientContext } from './context';
import { comingTimes, describe, type ScheduleDescription } from './description';

/** A schedule as it is read, with its arguments decoded and its next times. */
export async function describeLive(context: ClientContext, row: ScheduleRow): Promise<ScheduleDescription> {
  const args = await context.codec.decode(row.args);
  return describe(row, args, await horizon(context, row));
}

/** The next `count` times of a schedule that are not excluded. */
export async function nextTimesOf(context: ClientContext, row: ScheduleRow, count: number): Promise<Date[]> {
  return comingTimes(row, { ...(await horizon(context, row)), count });
}

async function horizon(context: ClientContext, { scheduleId }: ScheduleRow) {
  const after = nowOf(context);
  const excluded = await readExclusions(context.store, scheduleId, after);
  return { after, excluded: new Set(excluded.map((time) => time.getTime())) };
}
