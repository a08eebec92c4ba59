import { PostgresUnreachableError } from '../core/errors';
import { isFailure, nameOf } from '../core/firing';
import { type ClosedFiring, type Closings, closeFirings } from '../store/close';
import { lookAgain } from '../store/observe';
import type { ChainReference } from './chain';
import { firingFields, later, type TriggerContext } from './context';
import { logLetters } from './log-letters';

/** A firing whose chain has ended, and how. */
export interface EndedChain {
  firing: ChainReference & { linkedAt: Date | null; startAttempts: number };
  closed: ClosedFiring;
}

/**
 * Record ends and log each that was not recorded before. Those of a schedule that somebody keeps locked are looked at again.
 *
 * @returns how many were new
 */
export async function recordEnds(context: TriggerContext, ended: EndedChain[]): Promise<number> {
  const { clock, limits, logger } = context;
  const now = clock.now();
  const first = await closeEach(context, ended, now);
  // A claim holds a schedule for a moment only, and is mostly over by now.
  const held = new Set(first.held.map(nameOf));
  const again = ended.filter(({ closed }) => held.has(nameOf(closed)));
  const second = await closeEach(context, again, now);
  await lookAgain(context.store, second.held, later(now, limits.observeIntervalMilliseconds));
  const recorded = new Set([...first.closed, ...second.closed].map(nameOf));
  for (const { firing, closed } of ended) {
    if (!recorded.has(nameOf(closed))) continue;
    const milliseconds = firing.linkedAt ? closed.closedAt.getTime() - firing.linkedAt.getTime() : 0;
    const level = isFailure(closed.outcome) ? 'warn' : 'info';
    logger[level]('closed', { ...firingFields(firing), outcome: closed.outcome, milliseconds });
  }
  logLetters(context, [...first.letters, ...second.letters]);
  for (const scheduleId of [...first.paused, ...second.paused]) logger.warn('paused: a firing failed', { scheduleId });
  return recorded.size;
}

/** All at once, and where one of them cannot be recorded, the others without it: it is looked at again in its turn. */
async function closeEach(context: TriggerContext, ended: EndedChain[], now: number): Promise<Closings> {
  try {
    return await closeFirings(
      context.store,
      ended.map(({ closed }) => closed),
      { now: new Date(now), resetCheckAt: later(now, context.limits.resetCheckMilliseconds) },
    );
  } catch (error) {
    if (error instanceof PostgresUnreachableError) throw error;
    if (ended.length > 1) {
      const half = Math.ceil(ended.length / 2);
      const first = await closeEach(context, ended.slice(0, half), now);
      const second = await closeEach(context, ended.slice(half), now);
      return {
        closed: [...first.closed, ...second.closed],
        paused: [...first.paused, ...second.paused],
        letters: [...first.letters, ...second.letters],
        held: [...first.held, ...second.held],
      };
    }
    const { firing, closed } = ended[0]!;
    const fields = { ...firingFields(firing), outcome: closed.outcome, error: (error as Error).message };
    context.logger.warn('the end of a firing could not be recorded; trying again', fields);
    return { closed: [], paused: [], letters: [], held: [] };
  }
}
