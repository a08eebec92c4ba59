import { DEFAULTS } from '../../core/defaults';
import type { FiringKind } from '../../core/firing';

/** When a firing is to start, and whether it goes behind what is on time. */
export interface Turn {
  readyAt: Date;
  late: boolean;
}

/** The turn of a firing that is claimed now. @param dueAt its nominal time plus its jitter, or when it is handed over for */
export function turnOf(kind: FiringKind, dueAt: Date, now: number): Turn {
  // A person waits for it. Its nominal time is only when it was asked for.
  if (kind === 'manual') return { readyAt: new Date(now), late: false };
  const isMissed = now - dueAt.getTime() > DEFAULTS.onTimeMilliseconds;
  return { readyAt: dueAt, late: kind === 'backfill' || isMissed };
}

/** The same of one that has waited for others. It is to start now that its turn has come: having waited makes it no later. */
export function turnOfReleased(kind: FiringKind, dueAt: Date, now: number): Turn {
  return { ...turnOf(kind, dueAt, now), readyAt: new Date(now) };
}
