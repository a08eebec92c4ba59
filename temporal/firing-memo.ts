import type { Payload } from '@temporalio/common';
import { OUR_MEMO_KEY } from '../core/definition/definition';
import { FIRING_KINDS } from '../core/firing';
import { isInstant, isScheduleId } from '../core/option-fields';
import { isStorable } from '../core/storable';
import { read } from './payloads';
import type { FiringMemo } from './port';

/** The largest `integer` of Postgres. */
const LARGEST_INTEGER = 2_147_483_647;

/**
 * The firing that a workflow's memo names, if it names one. Anybody who starts workflows may write a memo, so this
 * returns undefined if the firing's schedule, time, kind, epoch or actor is not valid.
 */
export function firingMemoOf(
  memo: { fields?: Record<string, Payload> | null } | null | undefined,
): FiringMemo | undefined {
  const firing = read<Partial<FiringMemo> | null>(memo?.fields?.[OUR_MEMO_KEY]);
  return firing && isSound(firing) ? firing : undefined;
}

function isSound(firing: Partial<FiringMemo>): firing is FiringMemo {
  const { scheduleId, scheduledTime, kind, epoch, actor } = firing;
  // Adoption stores the actor, so Postgres must be able to store it.
  if (actor !== undefined && (typeof actor !== 'string' || !isStorable(actor))) return false;
  if (typeof scheduleId !== 'string' || !isScheduleId(scheduleId) || typeof scheduledTime !== 'string') return false;
  const time = Date.parse(scheduledTime);
  // The nominal time of a manual firing is never a whole second; that of any other firing always is.
  const isTime = isInstant(time) && (time % 1_000 !== 0) === (kind === 'manual');
  const isEpoch = Number.isInteger(epoch) && epoch! >= 0 && epoch! <= LARGEST_INTEGER;
  return isTime && isEpoch && FIRING_KINDS.includes(kind!);
}
