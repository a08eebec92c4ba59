import { type FiringState, TRANSITIONS } from '../../../core/firing';
import { isBeingReset, isWaiting, keyOf, nameOf } from '../rows';
import type { FiringRow } from '../snapshot';
import type { Memory } from './memory';
import type { ScheduleStep } from './step';

/** The fields of a row must fit its state. */
export function checkFields(memory: Memory, row: FiringRow): void {
  const { state } = row;
  const expect = (holds: boolean, text: string) => {
    if (!holds) memory.problem(`${nameOf(row)}: ${text}`);
  };
  const isFinal = state === 'closed' || state === 'abandoned';
  expect((row.outcome !== null) === (state === 'closed'), 'an outcome and closed go together');
  expect((row.reason !== null) === (state === 'skipped' || state === 'abandoned'), 'a reason explains no firing');
  expect((row.run_id !== null) === (state === 'linked' || state === 'closed'), 'a run and a link go together');
  expect((row.linked_at !== null) === (state === 'linked' || state === 'closed'), 'linked_at is when it was linked');
  expect(!isFinal || row.closed_at !== null, 'an end has its time');
  const isAnnounced = state === 'linked' || (state === 'claimed' && !isWaiting(row));
  expect(!isAnnounced || row.check_at !== null, 'what was announced is looked at again');
  expect(!isWaiting(row) || (row.task_queue !== null && row.ready_at !== null), 'what waits has its turn');
  expect(!isWaiting(row) || row.start_attempted_at === null, 'what waits was never announced');
  expect(state !== 'claimed' || row.owner !== null || isWaiting(row), 'what was announced has its owner');
  expect(state === 'claimed' || state === 'linked' || row.owner === null, 'only what is open has an owner');
  expect(state === 'skipped' || row.workflow_id !== null, 'it names its workflow');
  expect((row.kind === 'manual') === (row.scheduled_time % 1_000 !== 0), 'only manual firings have milliseconds');
  expect(row.start_attempted_at === null || row.first_attempted_at !== null, 'the first attempt is kept');
}

/**
 * Each change is a path of legal transitions. Only a reset, a restart or a person's run-again may leave a final state.
 */
export function checkTransition(memory: Memory, { formerly, letters, changes }: ScheduleStep, row: FiringRow): void {
  const former = formerly.get(row.scheduled_time);
  const from = former?.state ?? 'absent';
  if (from === row.state && former?.epoch === row.epoch) return;
  const chain = former && memory.chainOf(former);
  const asked = {
    reset:
      (chain !== undefined && memory.world.reset.has(chain)) || letters.some((letter) => isBeingReset(letter, row)),
    restart: memory.restarts.has(keyOf(row)),
    again: changes.includes('run again'),
  };
  if (former && row.epoch < former.epoch) memory.problem(`${nameOf(row)} went back to epoch ${row.epoch}`);
  if (!reachable(from, asked).has(row.state)) {
    memory.problem(`${nameOf(row)} went from ${from} to ${row.state}`);
  }
}

/**
 * The only row that is ever deleted is that of an exclusion, if it is undone or its time is no longer an occurrence.
 */
export function checkNoneGone(memory: Memory, { model, eraBefore, was, firings, formerly }: ScheduleStep): void {
  const present = new Set(firings.map((row) => row.scheduled_time));
  // A new definition answers from its beginning on, even for times that the former one had answered ahead.
  const changedAt = model.era === eraBefore ? Number.POSITIVE_INFINITY : model.era.from;
  for (const row of formerly.values()) {
    if (present.has(row.scheduled_time)) continue;
    const wasAhead = row.reason === 'excluded' && was && row.scheduled_time > Math.min(was.answered_to, changedAt);
    if (!wasAhead) memory.problem(`${nameOf(row)} is gone`);
  }
}

/** States that a path of legal transitions reaches. It leaves a final state only on request. */
function reachable(
  from: FiringState | 'absent',
  asked: { reset: boolean; restart: boolean; again: boolean },
): Set<string> {
  const reached = new Set<string>();
  const todo: (FiringState | 'absent')[] = [from];
  for (let state = todo.pop(); state; state = todo.pop()) {
    for (const to of TRANSITIONS[state]) {
      const isEnd = state === 'abandoned' || state === 'skipped' || state === 'closed';
      const isAskedFor =
        (to === 'linked' && asked.reset) || (to === 'claimed' && asked.restart) || (to === 'buffered' && asked.again);
      if ((isEnd && !isAskedFor) || reached.has(to)) continue;
      reached.add(to);
      todo.push(to);
    }
  }
  return reached;
}
