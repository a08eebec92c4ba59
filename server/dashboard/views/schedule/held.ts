import type { ScheduleAnswer } from '../../api/types';

/** What keeps a schedule from firing at one of its next times; undefined if nothing does. */
export function heldAt({ info }: ScheduleAnswer, time: string): 'frozen' | 'paused' | undefined {
  return info.heldActionTimes.find(({ scheduledAt }) => scheduledAt === time)?.by;
}
