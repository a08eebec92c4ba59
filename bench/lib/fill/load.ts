import type { SchedulePolicies } from '../../../core/schedule/policies';
import { secondsAhead } from '../calendar';
import type { Ledger } from '../ledger';
import { ACTION, freshName } from '../names';
import { inParallel } from '../wait';

/** Schedules that fire each second, and the period in which they fire: both ends inclusive, milliseconds since 1970. */
export interface Load {
  /** The prefix of the IDs of the schedules and their workflows. */
  prefix: string;
  scheduleIds: string[];
  from: number;
  to: number;
}

export interface LoadOptions {
  schedules: number;
  /** How long each schedule fires. @default a day */
  forSeconds?: number;
  /** The minimum time between the creation of the last schedule and the first firing. @default 0 */
  leadSeconds?: number;
  /** @default the ledger's */
  namespace?: string;
  /** The policies of the schedules, besides `overlap`, which is ALLOW_ALL. */
  policies?: SchedulePolicies;
}

const CREATIONS_IN_FLIGHT = 8;
const CREATIONS_PER_SECOND = 150;
const TRIES = 4;

/**
 * Create schedules that fire each second, starting soon. If creating the schedules takes too long, they are deleted and
 * created again for a later start.
 */
export async function loadEachSecond(ledger: Ledger, options: LoadOptions): Promise<Load> {
  const { schedules, forSeconds = 86_400, leadSeconds = 0, policies, namespace } = options;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const prefix = freshName('load');
    const creatingSeconds = (2 + schedules / CREATIONS_PER_SECOND) * 2 ** attempt;
    const from = secondsAhead(leadSeconds + creatingSeconds);
    const to = from + (forSeconds - 1) * 1_000;
    const scheduleIds = Array.from({ length: schedules }, (_, index) => `${prefix}-${index}`);
    const inAll = (work: (scheduleId: string) => Promise<unknown>) =>
      inParallel(schedules, CREATIONS_IN_FLIGHT, (index) => work(scheduleIds[index]!));
    await inAll((scheduleId) =>
      ledger.client.create({
        scheduleId,
        spec: eachSecond(from, to),
        action: ACTION,
        ...(namespace && { namespace }),
        policies: { overlap: 'ALLOW_ALL', ...policies },
      }),
    );
    if (Date.now() <= from - leadSeconds * 1_000) return { prefix, scheduleIds, from, to };
    await inAll((scheduleId) => ledger.client.getHandle(scheduleId).delete());
  }
  throw new Error(`creating ${schedules} schedules took too long, ${TRIES} times`);
}

/** A spec that Escapement and Temporal's own Schedules read in the same way. */
export function eachSecond(from: number, to: number) {
  return { intervals: [{ every: '1 second' as const }], startAt: new Date(from), endAt: new Date(to) };
}
