import { PostgresUnreachableError } from '../core/errors';
import { nameOf } from '../core/firing';
import { type ClosedFiring, type Closings, closeFirings } from '../store/close';
import type { ChainReference } from './chain';
import { firingFields, later, type TriggerContext } from './context';
import { logLetters } from './log-letters';

/** A firing whose chain has ended, and how. */
export interface EndedChain {
  firing: ChainReference & { linkedAt: Date | null; startAttempts: number };
  closed: ClosedFiring;
}

/** Record ends and log each that was not recorded before. Returns how many were new. */
export async function recordEnds(context: TriggerContext, ended: EndedChain[]): Promise<number> {
  const now = context.clock.now();
  const { closed: rows, paused, letters } = await closeEach(context, ended, now);
  const recorded = new Set(rows.map(nameOf));
  for (const { firing, closed } of ended) {
    if (!recorded.has(nameOf(closed))) continue;
    const milliseconds = firing.linkedAt ? closed.closedAt.getTime() - firing.linkedAt.getTime() : 0;
    context.logger.info('closed', { ...firingFields(firing), outcome: closed.outcome, milliseconds });
  }
  logLetters(context, letters);
  for (const scheduleId of paused) context.logger.warn('paused: a firing failed', { scheduleId });
  return rows.length;
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
      };
    }
    const { firing, closed } = ended[0]!;
    const fields = { ...firingFields(firing), outcome: closed.outcome, error: (error as Error).message };
    context.logger.warn('the end of a firing could not be recorded; trying again', fields);
    return { closed: [], paused: [], letters: [] };
  }
}
