import type { CompiledSpec } from '../../core/occurrences';
import { readTime, showTime, zoneOf } from '../../core/spec-zone';
import type { Store } from '../../store/connection';
import { deleteExclusions, insertExclusion } from '../../store/firings/exclude';
import { ensurePartitions } from '../../store/firings/partitions';
import { readFiring } from '../../store/reads/read-firings';
import type { LockedSchedule } from '../../store/schedules/lock';
import { type ClientContext, compiledOrRefused, compileStored, unlessInvalid } from '../context';
import { ExclusionError, type ExclusionProblem } from '../errors';
import { nearestTo } from '../nearest';
import { changeLive } from '../update/change';

/** @throws {ExclusionError | InvalidScheduleError | ScheduleNotFoundError | ScheduleLockedError} */
export function excludeTime(context: ClientContext, scheduleId: string, given: Date | string): Promise<void> {
  return changeLive(context, scheduleId, async (transaction, locked) => {
    const zone = zoneOf(locked.definition.spec);
    const time = readTime(given, zone, 'time');
    if (await isExcluded(transaction, scheduleId, time)) return;
    const compiled = compiledOrRefused(locked);
    const refuse = refusal(locked, compiled, time, zone);

    if (compiled.next(time.getTime() - 1) !== time.getTime()) throw refuse('not_an_occurrence', 'is not an occurrence');
    if (await readFiring(transaction, scheduleId, time)) throw refuse('has_firing', 'already has a firing');
    if (time <= settledTo(locked))
      throw refuse('too_late', 'can no longer be excluded: it is due, or was planned ahead');
    await ensurePartitions(transaction, [time]);
    await insertExclusion(transaction, locked, { scheduledTime: time, actor: context.identity });
  });
}

/** @throws {ExclusionError | InvalidScheduleError | ScheduleNotFoundError | ScheduleLockedError} */
export function includeTime(context: ClientContext, scheduleId: string, given: Date | string): Promise<void> {
  return changeLive(context, scheduleId, async (transaction, locked) => {
    const zone = zoneOf(locked.definition.spec);
    const time = readTime(given, zone, 'time');
    const refuse = refusal(locked, compileStored(locked), time, zone);
    if (!(await isExcluded(transaction, scheduleId, time))) throw refuse('not_excluded', 'is not excluded');
    // The excluded firing is the answer to its occurrence. Once triggers have passed its time, they would not answer
    // the occurrence again if this firing were deleted.
    if (time <= settledTo(locked))
      throw refuse('too_late', 'can no longer be included: it is due, or was planned ahead');
    await deleteExclusions(transaction, locked, [time]);
  });
}

/** Occurrences up to this instant are answered or due, so they can no longer be excluded or included. */
function settledTo({ now, answeredTo }: LockedSchedule): Date {
  return now > answeredTo ? now : answeredTo;
}

async function isExcluded(transaction: Store, scheduleId: string, time: Date): Promise<boolean> {
  const firing = await readFiring(transaction, scheduleId, time);
  return firing?.state === 'skipped' && firing.reason === 'excluded';
}

function refusal({ scheduleId }: LockedSchedule, compiled: CompiledSpec | undefined, time: Date, zone: string) {
  return (problem: ExclusionProblem, words: string): ExclusionError => {
    const nearest = compiled && unlessInvalid(() => nearestTo(compiled, time));
    const around = problem === 'not_an_occurrence' && nearest ? `; ${nearest.inWords(zone)}` : '';
    const sentence = `${showTime(time, zone)} of schedule '${scheduleId}' ${words}${around}`;
    return new ExclusionError(
      scheduleId,
      time,
      problem,
      sentence,
      nearest && { before: nearest.before, after: nearest.after },
    );
  };
}
