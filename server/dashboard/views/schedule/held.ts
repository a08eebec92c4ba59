import type { ScheduleAnswer } from '../../api/types';

/** What holds a schedule back at one of its next times: a freeze or a pause; undefined if neither does. */
export function heldAt({ info }: ScheduleAnswer, time: string): 'frozen' | 'paused' | undefined {
  return info.heldActionTimes.find(({ scheduledAt }) => scheduledAt === time)?.by;
}
