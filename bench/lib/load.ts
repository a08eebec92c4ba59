import { secondsAhead } from './calendar';
import type { Ledger } from './ledger';
import { ACTION, freshName } from './names';
import { inParallel } from './wait';

/** What fires each second, and from when to when: both inclusive, milliseconds since 1970. */
export interface Load {
  /** With which the IDs of its schedules and workflows begin. */
  prefix: string;
  scheduleIds: string[];
  from: number;
  to: number;
}

const CREATIONS_IN_FLIGHT = 8;
const CREATIONS_PER_SECOND = 150;

/**
 * So many schedules that fire each second, ALLOW_ALL, for so long. Resolves when they are created, at least
 * `leadSeconds` before they begin.
 */
export async function loadEachSecond(
  ledger: Ledger,
  schedules: number,
  forSeconds = 86_400,
  leadSeconds = 0,
): Promise<Load> {
  const prefix = freshName('load');
  const from = secondsAhead(leadSeconds + 2 + schedules / CREATIONS_PER_SECOND);
  const to = from + (forSeconds - 1) * 1_000;
  const scheduleIds = Array.from({ length: schedules }, (_, index) => `${prefix}-${index}`);
  await inParallel(schedules, CREATIONS_IN_FLIGHT, (index) =>
    ledger.client.create({
      scheduleId: scheduleIds[index]!,
      spec: eachSecond(from, to),
      action: ACTION,
      policies: { overlap: 'ALLOW_ALL' },
    }),
  );
  if (Date.now() > from - leadSeconds * 1_000)
    throw new Error('creating the schedules took longer than was allowed for');
  return { prefix, scheduleIds, from, to };
}

/** A spec that ours and Temporal's own Schedules read alike. */
export function eachSecond(from: number, to: number) {
  return { intervals: [{ every: '1 second' as const }], startAt: new Date(from), endAt: new Date(to) };
}
