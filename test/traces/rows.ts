import type { FiringRow, LetterRow } from './snapshot';
import { memoOf, type PlayedChain } from './temporal';

/** Each new start of a firing has another epoch, and its own chain. */
export function keyOf(row: { schedule_id: string; scheduled_time: number; epoch: number }): string {
  return `${row.schedule_id} ${row.scheduled_time} ${row.epoch}`;
}

export function keyOfChain(chain: PlayedChain): string {
  const { scheduleId, scheduledTime, epoch } = memoOf(chain);
  return `${scheduleId} ${Date.parse(scheduledTime)} ${epoch}`;
}

export function isOver({ state }: FiringRow): boolean {
  return state === 'closed' || state === 'abandoned' || state === 'skipped';
}

/** Whether it is claimed, and nobody has announced its start. */
export function isWaiting({ state, owner, first_attempted_at }: FiringRow): boolean {
  return state === 'claimed' && owner === null && first_attempted_at === null;
}

/** In a bulk redrive, a firing counts as running from just before its run is reset. */
export function isBeingReset({ scheduled_time, redrive }: LetterRow, row: FiringRow): boolean {
  return scheduled_time === row.scheduled_time && redrive?.reset !== undefined && redrive.inTurn === true;
}

/** The letter by which a firing was restarted. */
export function restartOf(row: FiringRow, letters: LetterRow[]): LetterRow | undefined {
  return letters.find(
    ({ schedule_id, scheduled_time, epoch, redrive }) =>
      schedule_id === row.schedule_id &&
      scheduled_time === row.scheduled_time &&
      epoch === row.epoch &&
      redrive?.mode === 'restart' &&
      redrive.carriedOutAt !== undefined,
  );
}

/** A firing in a message. */
export function nameOf(row: FiringRow): string {
  return `${row.schedule_id} ${show(row.scheduled_time)} (${row.kind} ${row.state}${row.reason ? ` ${row.reason}` : ''})`;
}

export function show(instant: number): string {
  return Number.isFinite(instant) ? new Date(instant).toISOString().slice(5).replace('.000', '') : 'the end';
}
