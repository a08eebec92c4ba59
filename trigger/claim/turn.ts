import { DEFAULTS } from '../../core/defaults';
import type { FiringKind } from '../../core/firing';

/** When a firing is to start, and whether it goes behind firings that are on time. */
export interface Turn {
  readyAt: Date;
  late: boolean;
}

/**
 * The start time and priority of a firing that is claimed now. @param dueAt its nominal time plus its jitter, or the
 * time for which it is handed over
 */
export function turnOf(kind: FiringKind, dueAt: Date, now: number): Turn {
  // A person waits for this firing. The nominal time of a manual firing is only the time of the request.
  if (kind === 'manual') return { readyAt: new Date(now), late: false };
  const isMissed = now - dueAt.getTime() > DEFAULTS.onTimeMilliseconds;
  return { readyAt: dueAt, late: kind === 'backfill' || isMissed };
}

/**
 * The same for a firing that has waited for others. Such a firing is ready now; its nominal time still decides whether
 * it is late.
 */
export function turnOfReleased(kind: FiringKind, dueAt: Date, now: number): Turn {
  return { ...turnOf(kind, dueAt, now), readyAt: new Date(now) };
}
