import { setTimeout } from 'node:timers/promises';
import type { ClientContext } from '../../client/context';
import { readLive } from '../../client/update/change';
import type { CompiledSpec } from '../../core/occurrences';

/**
 * How long after the requested instant the roll back waits for triggers to answer due times; then this ledger stops
 * anyway.
 */
const BEHIND_AT_MOST_MILLISECONDS = 10_000;
const AGAIN_AFTER_MILLISECONDS = 50;

/**
 * Waits until triggers have answered all nominal times before the requested instant, but at most until ten seconds
 * after it. The function does not wait for a paused schedule.
 */
export async function untilAnswered(
  context: ClientContext,
  scheduleId: string,
  compiled: CompiledSpec,
  at: Date,
): Promise<void> {
  const last = compiled.previous(at.getTime());
  if (last === undefined) return;
  while (Date.now() < at.getTime() + BEHIND_AT_MOST_MILLISECONDS) {
    const { answeredTo, paused } = await readLive(context, scheduleId);
    if (paused || (answeredTo.getTime() >= last && Date.now() >= last)) return;
    await setTimeout(AGAIN_AFTER_MILLISECONDS);
  }
}
