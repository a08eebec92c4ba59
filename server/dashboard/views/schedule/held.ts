import type { ScheduleAnswer } from '../../api/types';

/**
 * What keeps a schedule from firing at a time that is to come; undefined if nothing does. A pause without an end does
 * so at any time.
 */
export function heldAt(
  {
    state,
    info,
  }: { state: Pick<ScheduleAnswer['state'], 'paused' | 'pausedUntil'>; info: Pick<ScheduleAnswer['info'], 'frozen'> },
  time: string,
): 'paused' | 'frozen' | undefined {
  if (state.paused && (state.pausedUntil === undefined || time < state.pausedUntil)) return 'paused';
  return info.frozen && time < info.frozen.until ? 'frozen' : undefined;
}
