import { nameOf } from '../core/firing';
import { type ClosedFiring, closeFirings } from '../store/close';
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
  const {
    closed: rows,
    paused,
    letters,
  } = await closeFirings(
    context.store,
    ended.map(({ closed }) => closed),
    { now: new Date(now), resetCheckAt: later(now, context.limits.resetCheckMilliseconds) },
  );
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
