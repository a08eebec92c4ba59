import type { Era, ModelSchedule } from '../model';
import type { FiringRow, GapRow, LetterRow, ScheduleRow, Snapshot } from '../snapshot';
import type { TracedSchedule, World } from '../world';

/** The changes of one schedule in a step. */
export interface ScheduleStep {
  model: ModelSchedule;
  /** Undefined in the step that creates it. */
  was: ScheduleRow | undefined;
  is: ScheduleRow;
  /** The definition that was in force before. */
  eraBefore: Era;
  firings: FiringRow[];
  /** Its firings before the step, by their times. */
  formerly: Map<number, FiringRow>;
  gaps: GapRow[];
  gapsBefore: GapRow[];
  letters: LetterRow[];
  /** What people did to it. */
  changes: string[];
}

/** Undefined if the schedule has no row. */
export function stepOf(
  { scheduleId, model }: TracedSchedule,
  before: Snapshot,
  after: Snapshot,
  world: World,
): ScheduleStep | undefined {
  const of = <Row extends { schedule_id: string }>(rows: Row[]) => rows.filter((row) => row.schedule_id === scheduleId);
  const [is] = of(after.schedules);
  if (!is) return undefined;
  return {
    model,
    was: of(before.schedules)[0],
    is,
    eraBefore: model.era,
    firings: of(after.firings),
    formerly: new Map(of(before.firings).map((row) => [row.scheduled_time, row])),
    gaps: of(after.gaps),
    gapsBefore: of(before.gaps),
    letters: of(after.letters),
    changes: world.changes.get(scheduleId) ?? [],
  };
}
