import { type Gap, inShadow, startedBefore, wholeGap } from '../../core/decisions/catchup';
import { isPausedAt, isPauseOver, pausedThrough } from '../../core/decisions/pause';
import { handOver } from '../../core/decisions/replaced-definition';
import { canHandOver } from '../../core/definition/stored-definition';
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
import { pausedGaps } from '../update/pause';

type Left = Pick<Handover, 'firings' | 'gaps' | 'answeredTo'>;

interface Change {
  at: Date;
  state: Pick<UpdatedState, 'paused' | 'pausedUntil'>;
  /** Whether the definition stays as it is. */
  stays: boolean;
  /** The spec from now on. */
  compiled: CompiledSpec;
  /** Why the occurrences of a pause did not fire here. @default 'paused' */
  pausedFor?: 'native' | undefined;
}

/**
 * The firings and gaps that answer the open occurrences of the former definition, and the instant up to which they
 * answer. Usually that is the time of the change. A paused or completed schedule whose definition `stays` is an
 * exception. Occurrences that jitter delays past the change stay open, so the instant lies before them.
 */
export async function leftBehind(transaction: Store, locked: LockedSchedule, change: Change): Promise<Left> {
  const former = compileStored(locked);
  const isUsable = locked.damaged.length === 0 && canHandOver(locked.definition);
  const left = former && isUsable ? await leftBy(former, transaction, locked, change) : undefined;
  const answers = left ?? unanswered(former ?? change.compiled, locked, change);
  return locked.shadow ? { ...answers, gaps: answers.gaps.map(inShadow) } : answers;
}

/** The answers to the open occurrences of a definition; undefined if it takes too long to evaluate. */
async function leftBy(
  compiled: CompiledSpec,
  transaction: Store,
  locked: LockedSchedule,
  change: Change,
): Promise<Left | undefined> {
  const { policies, action } = locked.definition;
  const before = pauseBefore(compiled, locked, change.at);
  const stretch = { answeredTo: before.answeredTo, at: change.at.getTime() };
  const asleep = reasonOfSleep(locked, change);
  if (asleep) {
    return unlessInvalid(() => {
      const through = change.stays ? startedBefore(compiled, stretch.at + 1) : stretch.at;
      const gap = wholeGap(compiled, stretch.answeredTo, through, asleep);
      return { firings: [], gaps: [...before.gaps, ...(gap ? [gap] : [])], answeredTo: new Date(through) };
    });
  }

  const due = unlessInvalid(() => compiled.next(stretch.answeredTo) ?? Number.POSITIVE_INFINITY);
  if (due === undefined) return undefined;
  if (due > stretch.at) return { firings: [], gaps: before.gaps, answeredTo: change.at };
  const floor = await readRetentionFloor(transaction);
  const freezes = await readFreezesOf(transaction, [{ ...locked, since: new Date(due) }], change.at);
  const excluded = await readExclusions(transaction, locked.scheduleId, new Date(stretch.answeredTo));
  const left = unlessInvalid(() =>
    handOver(compiled, {
      ...stretch,
      catchupWindowMilliseconds: policies.catchupWindow,
      catchupLimit: policies.catchupLimit ?? Number.POSITIVE_INFINITY,
      freezes: freezes.get(locked.scheduleId) ?? [],
      excluded: excluded.map(Number),
      notBefore: floor?.getTime(),
    }),
  );
  if (!left) return undefined;
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

/**
 * Why the open occurrences do not fire: the schedule was paused before, is paused by this change, or has no actions
 * left.
 */
function reasonOfSleep(
  locked: LockedSchedule,
  { at, state, pausedFor }: Change,
): 'paused' | 'native' | 'completed' | undefined {
  const isPaused = [locked, state].some((pause) => isPausedAt(pause, at.getTime()));
  return isPaused ? (pausedFor ?? 'paused') : locked.remainingActions === 0 ? 'completed' : undefined;
}

/**
 * The gaps of a schedule whose former definition cannot be used here. If the former spec cannot be read, they are
 * computed from the new one. If even counting in pieces takes too long, there are no gaps, so that the schedule can still
 * be repaired.
 */
function unanswered(spec: CompiledSpec, locked: LockedSchedule, { at, pausedFor }: Change): Left {
  const reason = locked.remainingActions === 0 ? 'completed' : 'set_aside';
  const gaps = unlessInvalid(() => {
    if (isPausedAt(locked, at.getTime())) return pausedGaps(spec, locked, at.getTime(), pausedFor);
    const gap = wholeGap(spec, locked.answeredTo.getTime(), at.getTime(), reason);
    return gap ? [gap] : [];
  });
  return { firings: [], gaps: gaps ?? [], answeredTo: at };
}

/** The gap for a pause that had ended before the change, and the instant up to which the gap answers. */
function pauseBefore(compiled: CompiledSpec, locked: LockedSchedule, at: Date): { gaps: Gap[]; answeredTo: number } {
  const answeredTo = locked.answeredTo.getTime();
  if (!isPauseOver(locked, at.getTime())) return { gaps: [], answeredTo };
  const over = unlessInvalid(() => {
    const through = pausedThrough(compiled, answeredTo, locked.pausedUntil!);
    const gap = wholeGap(compiled, answeredTo, through, 'paused');
    return { gaps: gap ? [gap] : [], answeredTo: through };
  });
  return over ?? { gaps: [], answeredTo };
}

export function monthsOf(firings: Handover['firings']): Iterable<Date> {
  return oneOfEachMonth(firings.map(({ scheduledTime }) => scheduledTime));
}
