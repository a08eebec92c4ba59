import { isRecord } from '../definition/stored-definition';
import { canFire, compileSpec } from '../occurrences';
import type { ScheduleSpec } from '../schedule/spec';

/** Of a schedule that is neither paused nor set aside: what decides whether it is completed. */
export interface Progress {
  scheduleId: string;
  /** The spec as it is stored. */
  spec: unknown;
  /** Occurrences up to this instant have an answer. */
  answeredTo: Date;
  remainingActions: number | null;
}

/** Whether the schedule has no further occurrence; false if its spec cannot be read. */
export function hasNothingLeft({ scheduleId, spec, answeredTo, remainingActions }: Progress): boolean {
  if (remainingActions === 0) return true;
  try {
    return isRecord(spec) && !canFire(compileSpec(spec as ScheduleSpec, { scheduleId }), answeredTo.getTime());
  } catch {
    return false;
  }
}
