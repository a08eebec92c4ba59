import { randomUUID } from 'node:crypto';
import type { RedriveRequest } from '../../core/letters/redrive';
import { isUuid } from '../../core/uuid';
import type { Store } from '../../store/connection';
import { type DeadLetter, readLetter } from '../../store/letters/read-letters';
import { type LockedSchedule, lockSchedule } from '../../store/schedules/lock';
import { transact } from '../../store/transaction';
import type { ClientContext } from '../context';
import { ScheduleNotFoundError } from '../errors';
import { unlocked } from '../transaction';
import { DeadLetterConflictError, DeadLetterNotFoundError, DeadLetterStateError, type LetterIntent } from './errors';
import { withText } from './text';

/** @throws {DeadLetterNotFoundError} */
export async function getLetter(context: ClientContext, letterId: string): Promise<DeadLetter> {
  await context.ready();
  const letter = isUuid(letterId) ? await readLetter(context.store, letterId, context.tenant) : undefined;
  if (!letter) throw new DeadLetterNotFoundError(letterId);
  return withText(context.codec, letter);
}

/**
 * Changes a letter under its schedule's lock, after reading the letter again under that lock.
 *
 * @throws {DeadLetterNotFoundError | ScheduleNotFoundError | ScheduleLockedError}
 */
export async function changeLetter(
  context: ClientContext,
  { letterId, scheduleId }: DeadLetter,
  change: (transaction: Store, current: DeadLetter, locked: LockedSchedule) => Promise<void>,
): Promise<void> {
  await unlocked(context, scheduleId, () =>
    transact(context.store, async (transaction) => {
      const locked = await lockSchedule(transaction, scheduleId, context.now?.());
      if (!locked) throw new ScheduleNotFoundError(scheduleId);
      const current = await readLetter(transaction, letterId);
      if (!current) throw new DeadLetterNotFoundError(letterId);
      await change(transaction, current, locked);
    }),
  );
}

/**
 * Whether the same decision about the letter was already requested.
 *
 * @throws {DeadLetterConflictError} if another decision was requested, {DeadLetterStateError} if the request is damaged
 */
export function isAsked(letter: DeadLetter, mode: RedriveRequest['mode'], intent: LetterIntent): boolean {
  if (letter.state !== 'redriving') return false;
  if (letter.redrive?.mode === mode) return true;
  throw conflictOf(letter, intent);
}

export function conflictOf(
  { letterId, state, redrive, actor }: DeadLetter,
  intent: LetterIntent,
): DeadLetterStateError {
  if (redrive === null) return new DeadLetterStateError(letterId, state, intent, DAMAGED);
  return new DeadLetterConflictError(letterId, intent, { mode: redrive.mode, actor, askedAt: redrive.askedAt });
}

const DAMAGED = "its stored request is damaged; 'escapement dead-letter restore' reopens it";

export function requestOf(mode: RedriveRequest['mode'], now: Date, force = false): RedriveRequest {
  const askedAt = now.toISOString();
  return { mode, requestId: randomUUID(), force, askedAt, lookAt: askedAt };
}
