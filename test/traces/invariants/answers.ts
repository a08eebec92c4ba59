import { keyOf, nameOf, show } from '../rows';
import type { FiringRow } from '../snapshot';
import type { Memory } from './memory';
import type { ScheduleStep } from './step';

/** Every occurrence up to `answered_to` has exactly one answer, and nothing else has an answer. */
export function checkAnswers(memory: Memory, { model, is, firings, gaps }: ScheduleStep): void {
  const { schedule_id: id, answered_to } = is;
  let answered = 0;
  let end = Number.NEGATIVE_INFINITY;
  for (const { from_time, to_time, count, reason } of gaps) {
    const name = `the gap ${show(from_time)}..${show(to_time)} (${count} ${reason}) of ${id}`;
    if (from_time <= end) memory.problem(`${name} overlaps the one before`);
    if (model.versionAt(from_time) === undefined || model.versionAt(to_time) === undefined) {
      memory.problem(`${name} begins or ends at no occurrence`);
    }
    const expected = model.count(from_time - 1, to_time);
    if (count !== expected) memory.problem(`${name} covers ${expected}`);
    answered += expected;
    end = to_time;
  }
  if (end > answered_to) memory.problem(`a gap of ${id} lies behind what is answered`);
  for (const row of firings) {
    if (row.kind === 'manual') continue;
    const version = model.versionAt(row.scheduled_time);
    const isBackfill = row.kind === 'backfill';
    const isExcluded = row.reason === 'excluded';
    // A start that Temporal refused is repeated with the current definition.
    const isAnew = memory.restarts.has(keyOf(row));
    // A firing that was handed over ahead uses the former definition.
    const isOfBefore = row.starts_at !== null && row.schedule_version < is.version;
    const isOfAny = isBackfill || isAnew || isOfBefore;
    if (isExcluded ? version === undefined : !isOfAny && version !== row.schedule_version) {
      memory.problem(`${nameOf(row)} is of version ${row.schedule_version}; the model says ${version}`);
    }
    if (row.scheduled_time > answered_to) {
      if (!isOfAny && !isExcluded) memory.problem(`${nameOf(row)} lies behind what is answered`);
      continue;
    }
    // A backfill uses the current definition, even for times when another one was in force.
    if (version === undefined) continue;
    if (!gaps.some((gap) => gap.from_time <= row.scheduled_time && row.scheduled_time <= gap.to_time)) answered += 1;
  }
  const expected = model.count(Number.NEGATIVE_INFINITY, answered_to);
  if (answered !== expected) {
    memory.problem(`${answered} of ${expected} occurrences of ${id} up to ${show(answered_to)} are answered`);
  }
}

/** Answers of this step must follow the policies. */
export function checkNewAnswers(memory: Memory, step: ScheduleStep): void {
  const { model, eraBefore, was, is, firings, formerly, gaps, gapsBefore, changes } = step;
  if (!was) return;
  const id = is.schedule_id;
  const [from, to] = [was.answered_to, is.answered_to];
  const now = memory.world.clock.now();
  // A new definition answers from its beginning, even for times that were handed over ahead.
  const isAnother = is.version > was.version && to >= now;
  if (to < from && !isAnother) {
    memory.problem(`what is answered of ${id} moved back`);
    return;
  }
  if (memory.world.interleaved && changes.length > 0) return;
  const woke = changes.includes('unpause') && was.paused && !was.deleted;
  const revived = changes.includes('create') && was.deleted;
  const updated = changes.includes('update') && !was.deleted;
  const sleeping = was.paused ? 'paused' : was.remaining_actions === 0 ? 'completed' : undefined;
  if (!woke && !revived && !updated && (was.paused || was.deleted) && to > from) {
    memory.problem(`${id} sleeps, and was answered for`);
    return;
  }
  const excluded = new Set(
    firings.filter(({ reason }) => reason === 'excluded').map(({ scheduled_time }) => scheduled_time),
  );
  const expected =
    woke || revived
      ? model.asGap(from, to, revived ? 'deleted' : 'paused')
      : updated && sleeping
        ? model.asGap(from, to, sleeping)
        : to > from
          ? model.caughtUp(from, now, eraBefore, excluded)
          : model.asGap(from, from, 'nothing');
  const known = new Set(gapsBefore.map(({ from_time, to_time }) => `${from_time} ${to_time}`));
  const added = gaps
    .filter(({ from_time, to_time }) => !known.has(`${from_time} ${to_time}`))
    .map(({ from_time, to_time, count, reason }) => ({ from: from_time, to: to_time, count, reason }));
  // A firing that a person requested before its occurrence was answered, and that began before or in parallel with that
  // answer.
  const began = ({ kind, state }: FiringRow) => kind !== 'manual' && state !== 'buffered' && state !== 'skipped';
  const expectations = [firings, [...formerly.values()], []].map((rows) =>
    model.around(
      expected.gaps,
      rows.filter(began).map(({ scheduled_time }) => scheduled_time),
    ),
  );
  if (!expectations.some((gaps) => JSON.stringify(added) === JSON.stringify(gaps))) {
    memory.problem(`gaps of ${id}: ${showGaps(added)}; the model says ${showGaps(expected.gaps)}`);
  }
  for (const row of firings) {
    if (row.kind === 'manual' || row.kind === 'backfill' || row.reason === 'excluded') continue;
    if (formerly.has(row.scheduled_time)) continue;
    if (row.scheduled_time <= expected.rowsAfter) memory.problem(`${nameOf(row)} should be in a gap`);
    const kind = model.isOnTime(row.scheduled_time, now) ? 'schedule' : 'catchup';
    if (row.kind !== kind) memory.problem(`${nameOf(row)} is of kind ${row.kind}; the model says ${kind}`);
  }
}

function showGaps(gaps: { from: number; to: number; count: number; reason: string }[]): string {
  return (
    gaps.map(({ from, to, count, reason }) => `${show(from)}..${show(to)} ${count} ${reason}`).join(', ') || 'none'
  );
}
