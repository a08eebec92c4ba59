import type { OverlapOutcome } from '../../core/decisions/overlap';
import type { Store } from '../../store/connection';
import type { WrittenFiring } from '../../store/firings/claim';
import type { DueTimer } from '../../store/schedules/due';
import { countHours, lockHours } from '../../store/schedules/tenant-hours';
import { later, type TriggerContext } from '../context';
import { groupBy } from '../group';
import type { Candidate } from './candidates';
import type { DuePlan } from './due-plan';

const HOUR = 3_600_000;

/** How many firings of a schedule may be claimed, and when to claim what is beyond. */
export interface Quota {
  left: number;
  until: Date;
}

/** What the tenants of a page may still fire in this hour, dealt out to their schedules. */
export class Quotas {
  /** @param tenants those that are limited, and the schedules of the page that have to share what each has left */
  constructor(
    private readonly tenants: Map<string, { left: number; share: number; until: Date }>,
    private readonly nextPoll: Date,
  ) {}

  /** Whether nothing is limited. */
  get isEmpty(): boolean {
    return this.tenants.size === 0;
  }

  /** What one schedule of a tenant may take; undefined for any number. */
  of({ tenant, metered }: DueTimer): Quota | undefined {
    const known = metered ? this.tenants.get(tenant) : undefined;
    if (!known) return undefined;
    const { left, share, until } = known;
    return left > share ? { left: share, until: this.nextPoll } : { left, until };
  }

  /** Take off what was decided to be claimed. */
  take({ tenant }: DueTimer, claims: number): void {
    const known = this.tenants.get(tenant);
    if (known) known.left -= claims;
  }
}

/**
 * What the tenants of locked schedules may still fire in this hour of the clock, with the rows that count it locked. Each of
 * its schedules gets the same share, so that one with much to do leaves something to the others. Where another trigger has
 * the row locked, what is due waits for a moment.
 */
export async function quotasOf(
  { limits }: TriggerContext,
  transaction: Store,
  held: DuePlan[],
  now: number,
): Promise<Quotas> {
  const nextPoll = later(now, limits.claimIntervalMilliseconds);
  const metered = groupBy(
    held.filter(({ timer }) => timer.metered),
    ({ timer }) => timer.tenant,
  );
  if (metered.size === 0) return new Quotas(new Map(), nextPoll);
  const rows = await lockHours(transaction, [...metered.keys()], new Date(now));
  const left = new Map(rows.map((row) => [row.tenant, row.left]));
  const nextHour = new Date(Math.floor(now / HOUR) * HOUR + HOUR);
  const tenants = [...metered].map(([tenant, dues]) => {
    const known = left.get(tenant);
    if (known === undefined) return [tenant, { left: 0, share: 0, until: nextPoll }] as const;
    return [tenant, { left: known, share: Math.ceil(known / dues.length), until: nextHour }] as const;
  });
  return new Quotas(new Map(tenants), nextPoll);
}

/** What has been due longest first, since what is left may not be enough for all. */
export function byDueTime(one: DuePlan, other: DuePlan): number {
  return dueSince(one) - dueSince(other);
}

function dueSince({ plan }: DuePlan): number {
  return plan.firings[0]?.scheduledTime ?? plan.answeredTo;
}

/** Count what was claimed, where it is counted. */
export async function countClaims(
  transaction: Store,
  dues: DuePlan[],
  claimed: WrittenFiring[],
  now: Date,
): Promise<void> {
  const metered = new Map(
    dues.flatMap(({ timer }) => (timer.metered ? [[timer.scheduleId, timer.tenant] as const] : [])),
  );
  const counts = new Map<string, number>();
  for (const { scheduleId } of claimed) {
    const tenant = metered.get(scheduleId);
    if (tenant !== undefined) counts.set(tenant, (counts.get(tenant) ?? 0) + 1);
  }
  await countHours(transaction, counts, now);
}

/** What is decided of a schedule's candidates. */
interface Within {
  kept: Candidate[];
  dropped: Candidate[];
  outcome: OverlapOutcome;
}

/**
 * The candidates before the first claim that the tenant's quota has no room for. All from there on waits as it is, also what
 * would have been dropped: what comes before it may still change.
 */
export function withinQuota(
  { kept, dropped, outcome }: Within,
  overlap: (candidates: Candidate[]) => OverlapOutcome,
  quota: Quota | undefined,
): Within & { delayed: Candidate[] } {
  let left = quota?.left ?? Number.POSITIVE_INFINITY;
  // Nor is what runs ended for one that could not begin then.
  const first = outcome.decisions.findIndex(
    (decision) =>
      (decision === 'claim' && --left < 0) || (decision === 'wait' && left <= 0 && outcome.interrupt !== undefined),
  );
  if (first === -1) return { kept, dropped, outcome, delayed: [] };
  // Without those behind, one that they replaced may be claimed after all.
  const before = kept.slice(0, first);
  const within = withinQuota({ kept: before, dropped: [], outcome: overlap(before) }, overlap, quota);
  const delayed = [...within.delayed, ...kept.slice(first), ...dropped];
  return { ...within, delayed: delayed.sort((one, other) => +one.scheduledTime - +other.scheduledTime) };
}
