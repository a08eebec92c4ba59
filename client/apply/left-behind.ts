import { type Gap, gapOver, startedBefore } from '../../core/decisions/catchup';
import { isPausedAt, isPauseOver, pausedThrough } from '../../core/decisions/pause';
import { handOver } from '../../core/decisions/replaced-definition';
import { workflowIdOf } from '../../core/identity';
import type { CompiledSpec } from '../../core/occurrences';
import type { Store } from '../../store/connection';
import { readExclusions } from '../../store/firings/exclude';
import { oneOfEachMonth } from '../../store/firings/partitions';
import { readRetentionFloor } from '../../store/firings/retire-month';
import { readFreezesOf } from '../../store/freezes/matching';
import type { LockedSchedule } from '../../store/schedules/lock';
import type { Handover, UpdatedState } from '../../store/schedules/update';
import { compileStored, unlessInvalid } from '../context';

/**
 * The firings and gaps for occurrences that the former definition has not answered, and the instant up to which they
 * answer. Usually the instant is the time of the change. If the schedule sleeps and its definition `stays`, jitter may
 * delay the start of the last occurrence past the change; the instant then lies before that occurrence. If the former
 * definition cannot be evaluated, no firings and gaps are returned.
 */
export async function leftBehind(
  transaction: Store,
  locked: LockedSchedule,
  change: { at: Date; state: Pick<UpdatedState, 'paused' | 'pausedUntil'>; stays: boolean },
): Promise<Pick<Handover, 'firings' | 'gaps' | 'answeredTo'>> {
  const compiled = compileStored(locked);
  const nothing = { firings: [], gaps: [], answeredTo: change.at };
  if (!compiled) return nothing;
  const { policies, action } = locked.definition;
  const before = pauseBefore(compiled, locked, change.at);
  const stretch = { answeredTo: before.answeredTo, at: change.at.getTime() };
  // Occurrences that are unanswered when the schedule is paused do not fire. An update may also pause the schedule.
  const isPaused = [locked, change.state].some((pause) => isPausedAt(pause, stretch.at));
  const asleep = isPaused ? 'paused' : locked.remainingActions === 0 ? 'completed' : undefined;
  if (asleep) {
    const left = unlessInvalid(() => {
      const through = change.stays ? startedBefore(compiled, stretch.at + 1) : stretch.at;
      const gap = gapOver(compiled, stretch.answeredTo, through, asleep);
      return { firings: [], gaps: [...before.gaps, ...(gap ? [gap] : [])], answeredTo: new Date(through) };
    });
    return left ?? nothing;
  }

  const due = unlessInvalid(() => compiled.next(stretch.answeredTo));
  if (due === undefined || due > stretch.at) return { ...nothing, gaps: before.gaps };
  // No firings are written into a retired month, so catch-up reaches back only to the first month that is kept.
  const floor = await readRetentionFloor(transaction);
  const reach = floor ? Math.max(0, stretch.at - floor.getTime()) : Number.POSITIVE_INFINITY;
  const freezes = await readFreezesOf(transaction, [{ ...locked, since: new Date(due) }], change.at);
  const excluded = await readExclusions(transaction, locked.scheduleId, new Date(stretch.answeredTo));
  const left = unlessInvalid(() =>
    handOver(compiled, {
      ...stretch,
      catchupWindowMilliseconds: Math.min(policies.catchupWindow, reach),
      catchupLimit: policies.catchupLimit ?? Number.POSITIVE_INFINITY,
      freezes: freezes.get(locked.scheduleId) ?? [],
      excluded: excluded.map(Number),
    }),
  );
  if (!left) return nothing;
  const { firings, gaps } = left;
  return {
    gaps: [...before.gaps, ...gaps],
    answeredTo: change.at,
    firings: firings.map(({ scheduledTime, kind, startsAt, replacesFrom }) => {
      const key = { scheduleId: locked.scheduleId, scheduledTime: new Date(scheduledTime) };
      const workflowId = workflowIdOf({ ...key, workflowId: action.workflowId, kind, epoch: 0 });
      const readyAt = startsAt === undefined ? undefined : new Date(startsAt);
      return { scheduledTime: key.scheduledTime, kind, workflowId, readyAt, replacesFrom };
    }),
  };
}

/** The gap for a pause that had ended before the change, and the instant up to which the gap answers. */
function pauseBefore(compiled: CompiledSpec, locked: LockedSchedule, at: Date): { gaps: Gap[]; answeredTo: number } {
  const answeredTo = locked.answeredTo.getTime();
  if (!isPauseOver(locked, at.getTime())) return { gaps: [], answeredTo };
  const over = unlessInvalid(() => {
    const through = pausedThrough(compiled, answeredTo, locked.pausedUntil!);
    const gap = gapOver(compiled, answeredTo, through, 'paused');
    return { gaps: gap ? [gap] : [], answeredTo: through };
  });
  return over ?? { gaps: [], answeredTo };
}

export function monthsOf(firings: Handover['firings']): Iterable<Date> {
  return oneOfEachMonth(firings.map(({ scheduledTime }) => scheduledTime));
}
