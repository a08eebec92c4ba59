import { DEFAULTS } from '../../core/defaults';
import type { FiringKind } from '../../core/firing';

/** When a firing should start, and whether it starts after firings that are on time. */
export interface Turn {
  readyAt: Date;
  late: boolean;
}

/**
 * The start time and priority of a firing that is claimed now. @param dueAt the firing's nominal time plus its jitter,
 * or the time for which it is handed over
 */
export function turnOf(kind: FiringKind, dueAt: Date, now: number): Turn {
  // A person waits for a manual firing, so it is ready at once. The nominal time of a manual firing is only the time of
  // the request.
  if (kind === 'manual') return { readyAt: new Date(now), late: false };
  const isMissed = now - dueAt.getTime() > DEFAULTS.onTimeMilliseconds;
  return { readyAt: dueAt, late: kind === 'backfill' || isMissed };
}

/**
 * Like {@link turnOf}, for a firing that was buffered, or that a freeze held back. Such a firing is ready now, and late
 * under the same conditions.
 */
export function turnOfReleased(kind: FiringKind, dueAt: Date, now: number): Turn {
  return { ...turnOf(kind, dueAt, now), readyAt: new Date(now) };
}
