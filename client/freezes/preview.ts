import { startedBefore } from '../../core/decisions/catchup';
import { SharedSpecs } from '../../core/occurrences';
import { type FreezeScope, filterOf } from '../../store/freezes/matching';
import { readSchedulesPage } from '../../store/reads/list-schedules';
import type { ScheduleRow } from '../../store/reads/read-schedules';
import { type ClientContext, unlessInvalid } from '../context';
import { Turns } from '../in-turns';

/** A schedule that matches a freeze, with the occurrences that the freeze would hold back. */
export interface FrozenSchedule {
  /** ID of the schedule. */
  scheduleId: string;
  /** Number of occurrences that would start during the freeze, excluded ones included; may exceed the actions left. */
  occurrences: number;
  /** Nominal time of the first of these occurrences; undefined if there is none. */
  first: Date | undefined;
  /** Nominal time of the last of these occurrences; undefined if there is none. */
  last: Date | undefined;
}

const READ_AT_ONCE = 1_000;

/**
 * Schedules that are paused until the end of the freeze, have no actions left or cannot be evaluated count with no
 * occurrences.
 */
export async function previewFreeze(
  context: ClientContext,
  scope: FreezeScope,
  { from, to }: { from: Date; to: Date },
): Promise<FrozenSchedule[]> {
  const frozen: FrozenSchedule[] = [];
  const specs = new SharedSpecs();
  const turns = new Turns();
  let cursor: ScheduleRow | undefined;
  for (;;) {
    const request = { order: 'scheduleId' as const, cursor, size: READ_AT_ONCE };
    const rows = await readSchedulesPage(context.store, filterOf(scope), request);
    for (const row of rows) {
      frozen.push(frozenOf(row, specs, { from, to }));
      await turns.next();
    }
    if (rows.length < READ_AT_ONCE) return frozen;
    cursor = rows.at(-1);
  }
}

function frozenOf(
  { scheduleId, spec, paused, pausedUntil, remainingActions }: ScheduleRow,
  specs: SharedSpecs,
  { from, to }: { from: Date; to: Date },
): FrozenSchedule {
  const none = { scheduleId, occurrences: 0, first: undefined, last: undefined };
  const pauseEnds = paused ? (pausedUntil?.getTime() ?? Number.POSITIVE_INFINITY) : Number.NEGATIVE_INFINITY;
  if (pauseEnds >= to.getTime() || remainingActions === 0) return none;
  const found = unlessInvalid(() => {
    const compiled = specs.compile(spec, scheduleId);
    const after = startedBefore(compiled, Math.max(from.getTime(), pauseEnds));
    const through = startedBefore(compiled, to.getTime());
    const occurrences = compiled.count(after, through);
    if (occurrences === 0) return none;
    const [first, last] = [compiled.next(after)!, compiled.previous(through + 1)!];
    return { scheduleId, occurrences, first: new Date(first), last: new Date(last) };
  });
  return found ?? none;
}
