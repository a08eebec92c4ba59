import type { Store } from '../../store/connection';
import {
  readStripFirings,
  readStripGaps,
  type StripFiring,
  type StripGap,
  type StripQuery,
} from '../../store/reads/strips';

export type Look = 'completed' | 'failed' | 'other' | 'running' | 'waiting' | 'skipped' | 'abandoned' | 'gap';

/** A mark in a strip: one answer of a schedule. */
export interface Mark {
  answer: 'firing' | 'gap';
  /** The nominal time; for a gap, that of its first occurrence. */
  at: Date;
  /** For a gap, the nominal time of its last occurrence. */
  to?: Date;
  /** Number of occurrences that the answer covers. */
  count: number;
  look: Look;
  kind?: string;
  outcome?: string;
  reason?: string;
  recovered?: boolean;
  error?: string;
  /** Milliseconds from the nominal time of the firing until it was linked, or until its start if that is later. */
  lag?: number;
  /** Milliseconds from the end of `lag` to the end of the firing's workflow; 0 if the workflow ended earlier. */
  duration?: number;
}

/** The latest answers of each schedule, oldest first. */
export async function stripsOf(store: Store, query: StripQuery): Promise<Record<string, Mark[]>> {
  const [firings, gaps] = await Promise.all([readStripFirings(store, query), readStripGaps(store, query)]);
  const marks = new Map<string, Mark[]>(query.scheduleIds.map((scheduleId) => [scheduleId, []]));
  for (const firing of firings) marks.get(firing.scheduleId)?.push(markOf(firing));
  for (const gap of gaps) marks.get(gap.scheduleId)?.push(markOfGap(gap));
  return Object.fromEntries(
    [...marks].map(([scheduleId, ofOne]) => [
      scheduleId,
      ofOne.sort((one, other) => one.at.getTime() - other.at.getTime()).slice(-query.last),
    ]),
  );
}

function markOf(firing: StripFiring): Mark {
  const { scheduledTime, kind, outcome, reason, recovered, error, linkedAt, startsAt, closedAt } = firing;
  // A workflow that was handed over ahead starts at `startsAt`, and not when it was linked.
  const startedAt = linkedAt && Math.max(linkedAt.getTime(), startsAt?.getTime() ?? 0);
  return {
    answer: 'firing',
    at: scheduledTime,
    count: 1,
    look: lookOf(firing),
    kind,
    ...(outcome === null ? {} : { outcome }),
    ...(reason === null ? {} : { reason }),
    ...(recovered ? { recovered } : {}),
    ...(error === null ? {} : { error }),
    ...(startedAt === null ? {} : { lag: Math.max(0, startedAt - scheduledTime.getTime()) }),
    ...(startedAt === null || closedAt === null ? {} : { duration: Math.max(0, closedAt.getTime() - startedAt) }),
  };
}

function lookOf({ state, outcome }: StripFiring): Look {
  if (state === 'linked') return 'running';
  if (state === 'skipped' || state === 'abandoned') return state;
  if (state !== 'closed') return 'waiting';
  if (outcome === 'completed') return 'completed';
  return outcome === 'failed' || outcome === 'timed_out' ? 'failed' : 'other';
}

function markOfGap({ from, to, count, reason }: StripGap): Mark {
  return { answer: 'gap', at: from, to, count, look: 'gap', reason };
}
