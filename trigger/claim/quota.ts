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

/** How many firings of a schedule may be claimed now, and when the schedule wakes for the rest. */
export interface Quota {
  left: number;
  until: Date;
  /** Whether the rest must wait for the next hour. Otherwise the next poll decides about the rest. */
  isUsedUp: boolean;
}

/** The firings that the tenants of a batch have left in this hour, divided among their schedules. */
class Quotas {
  /** @param tenants the tenants with a quota: their firings left, the share of each schedule, and when to poll again */
  constructor(
    private readonly tenants: Map<string, Quota & { share: number }>,
    private readonly nextPoll: Date,
  ) {}

  get isEmpty(): boolean {
    return this.tenants.size === 0;
  }

  /** How many firings a schedule of a tenant may claim; undefined means no limit. */
  of({ tenant, metered }: DueTimer): Quota | undefined {
    const known = metered ? this.tenants.get(tenant) : undefined;
    if (!known) return undefined;
    const { left, share, until, isUsedUp } = known;
    return left > share ? { left: share, until: this.nextPoll, isUsedUp: false } : { left, until, isUsedUp };
  }

  take({ tenant }: DueTimer, claims: number): void {
    const known = this.tenants.get(tenant);
    if (known) known.left -= claims;
  }
}

/**
 * How many firings the tenants of these locked schedules have left in the current hour (UTC). The rows with the
 * tenants' counts are locked. Each schedule of a tenant gets at most the same share, so that a busy schedule leaves
 * some to the others. If another session has locked a tenant's row, the tenant's due firings wait for the next poll.
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
  const tenants = [...metered].map(([tenant, dues]): [string, Quota & { share: number }] => {
    const known = left.get(tenant);
    if (known === undefined) return [tenant, { left: 0, share: 0, until: nextPoll, isUsedUp: false }];
    return [tenant, { left: known, share: Math.ceil(known / dues.length), until: nextHour, isUsedUp: true }];
  });
  return new Quotas(new Map(tenants), nextPoll);
}

/** Orders plans by their first occurrence, the earliest first, since the quota may not suffice for all. */
export function byDueTime(one: DuePlan, other: DuePlan): number {
  return dueSince(one) - dueSince(other);
}

function dueSince({ plan }: DuePlan): number {
  return plan.firings[0]?.scheduledTime ?? plan.answeredTo;
}

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

interface Within {
  kept: Candidate[];
  dropped: Candidate[];
  outcome: OverlapOutcome;
}

/**
 * The candidates that come before the first claim that the tenant's quota does not allow. All later candidates are
 * delayed. The candidates that would have been dropped are delayed too, since the decisions about the later candidates
 * may still change.
 */
export function withinQuota(
  { kept, dropped, outcome }: Within,
  overlap: (candidates: Candidate[]) => OverlapOutcome,
  quota: Quota | undefined,
): Within & { delayed: Candidate[] } {
  let left = quota?.left ?? Number.POSITIVE_INFINITY;
  // A running chain is not ended for a firing that the quota does not allow to start.
  const first = outcome.decisions.findIndex(
    (decision) =>
      (decision === 'claim' && --left < 0) || (decision === 'wait' && left <= 0 && outcome.interrupt !== undefined),
  );
  if (first === -1) return { kept, dropped, outcome, delayed: [] };
  // Without the later candidates, a candidate that they would have replaced may be claimed after all.
  const before = kept.slice(0, first);
  const within = withinQuota({ kept: before, dropped: [], outcome: overlap(before) }, overlap, quota);
  const delayed = [...within.delayed, ...kept.slice(first), ...dropped];
  return { ...within, delayed: delayed.sort((one, other) => +one.scheduledTime - +other.scheduledTime) };
}
