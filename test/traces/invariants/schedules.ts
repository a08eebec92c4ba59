import { DEFAULTS } from '../../../core/defaults';
import { isFailure } from '../../../core/firing';
import type { ModelSchedule } from '../model';
import { show } from '../rows';
import type { FiringRow } from '../snapshot';
import type { TracedSchedule } from '../world';
import type { Memory } from './memory';
import type { ScheduleStep } from './step';

/** A change that took effect, even if its process died before it learned of it. */
export function followChanges(
  memory: Memory,
  schedule: TracedSchedule,
  { was, is, firings, changes }: ScheduleStep,
): void {
  const { model, setup, wanted } = schedule;
  const now = memory.world.clock.now();
  if (is.version > model.era.version) {
    if (changes.includes('create')) model.create(setup, now);
    if (changes.includes('update') && wanted) {
      schedule.setup = wanted;
      model.update(wanted, now);
    }
  }
  // An update in parallel with a claim may restore what the claim used up. Nobody can see which of them came first.
  const mayBeGiven = memory.world.interleaved || is.remaining_actions !== was?.remaining_actions;
  if (changes.includes('update') && mayBeGiven) {
    const given = is.remaining_actions;
    model.remainingActions = given === null ? undefined : given + takenActions(model, firings);
  }
  if (changes.includes('delete') && is.deleted) model.deleted = true;
  if (is.deleted !== model.deleted) memory.problem(`${is.schedule_id} is ${is.deleted ? '' : 'not '}deleted`);
  if (is.version !== model.era.version) memory.problem(`${is.schedule_id} is at version ${is.version}`);
  if (is.spec_error) memory.problem(`${is.schedule_id} was set aside: ${is.spec_error}`);
}

export function checkRemaining(memory: Memory, { model, is, firings }: ScheduleStep): void {
  const { schedule_id: id, remaining_actions } = is;
  if (model.remainingActions === undefined) {
    if (remaining_actions !== null) memory.problem(`${id} counts actions`);
    return;
  }
  const taken = takenActions(model, firings);
  if (remaining_actions === null || remaining_actions < 0 || remaining_actions > model.remainingActions - taken) {
    memory.problem(`${id} took ${taken} of ${model.remainingActions} actions, and ${remaining_actions} remain`);
  }
}

/** Only a person pauses a schedule, or a failure if the policy says so; in that case it must. */
export function checkPauses(memory: Memory, step: ScheduleStep): void {
  const { model, eraBefore, was, is, firings, formerly, changes } = step;
  if (!was || changes.includes('create')) return;
  const failed = firings.some(
    (row) =>
      row.outcome &&
      isFailure(row.outcome) &&
      row.schedule_version >= model.firstVersion &&
      formerly.get(row.scheduled_time)?.closed_at !== row.closed_at,
  );
  // If an update ran in parallel, the failure was recorded before or after it.
  const [before, after] = [eraBefore.policies.pauseOnFailure, model.era.policies.pauseOnFailure];
  const mayPause = failed && (before || after) && !was.deleted;
  const mustPause = mayPause && before && after;
  if (is.paused && !was.paused && !changes.includes('pause') && !mayPause)
    memory.problem(`${is.schedule_id} is paused`);
  if (!is.paused && was.paused && !changes.includes('unpause')) memory.problem(`${is.schedule_id} goes on`);
  if (mustPause && !is.paused && !changes.includes('unpause') && !is.deleted) {
    memory.problem(`${is.schedule_id} failed and was not paused`);
  }
}

/** A schedule is polled in time: at its next occurrence, and at once if waiting firings may continue. */
export function checkWakes(memory: Memory, { model, is, firings }: ScheduleStep): void {
  const now = memory.world.clock.now();
  const sleeps = is.paused || is.deleted || is.remaining_actions === 0;
  const due = model.next(is.answered_to);
  // Late occurrences that only Temporal's answer decides are tried again after five seconds, unless one is on time.
  const isLate = due <= now && model.next(now - DEFAULTS.onTimeMilliseconds - 1) > now;
  const latest = isLate ? Math.min(now + DEFAULTS.onTimeMilliseconds / 2, model.next(now)) : due;
  if (!sleeps && is.wake_at > Math.max(now + 1_000, latest)) {
    memory.problem(`${is.schedule_id} sleeps until ${show(is.wake_at)}, beyond its next occurrence`);
  }
  const waits = firings.some(({ state }) => state === 'buffered');
  const isHeld = firings.some(({ state }) => state === 'claimed' || state === 'linked');
  if (waits && !isHeld && is.wake_at > now) memory.problem(`firings of ${is.schedule_id} wait for nothing`);
}

/** Firings of the spec that have used an action since the schedule was created last. */
function takenActions(model: ModelSchedule, firings: FiringRow[]): number {
  const isTaken = ({ kind, state, schedule_version }: FiringRow) =>
    (kind === 'schedule' || kind === 'catchup') &&
    state !== 'buffered' &&
    state !== 'skipped' &&
    schedule_version >= model.firstVersion;
  return firings.filter(isTaken).length;
}
