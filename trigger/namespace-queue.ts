import { DEFAULTS } from '../core/defaults';
import { FairLane } from './fair-lane';
import type { QueuedClaim } from './queued-claim';

/** The lanes of a namespace, in the order in which they are emptied. */
export const LANES = ['due', 'ahead', 'late'] as const;
export type LaneName = (typeof LANES)[number];

/** The claims of one namespace that are to be started, each in one lane. */
export class NamespaceQueue {
  readonly #lanes: Readonly<Record<LaneName, FairLane>> = {
    due: new FairLane(),
    ahead: new FairLane(),
    late: new FairLane(),
  };
  /** Nothing that is ahead comes due before: until then nobody need look for it. */
  #nextDueAt = Number.POSITIVE_INFINITY;

  get size(): number {
    return this.timely + this.#lanes.late.size;
  }

  /** Those that have a time to keep. */
  get timely(): number {
    return this.#lanes.due.size + this.#lanes.ahead.size;
  }

  add(claim: QueuedClaim, now: number): void {
    const name = laneOf(claim, now);
    for (const other of LANES) if (other !== name) this.#lanes[other].delete(claim);
    this.#lanes[name].add(claim);
    if (name === 'ahead') this.#nextDueAt = Math.min(this.#nextDueAt, claim.startsAt!.getTime());
  }

  /**
   * Move what is no longer ahead of its time to the lane that it belongs to by now: else what comes due later would go
   * before it, and might for as long as there is any.
   */
  advance(now: number): void {
    if (now < this.#nextDueAt) return;
    this.#nextDueAt = Number.POSITIVE_INFINITY;
    for (const claim of [...this.#lanes.ahead]) {
      const startsAt = claim.startsAt!.getTime();
      if (startsAt > now) this.#nextDueAt = Math.min(this.#nextDueAt, startsAt);
      else this.add(claim, now);
    }
  }

  /** Remove and return the next of a lane that `mayGo`. Undefined when there is none. */
  take(name: LaneName, mayGo: (claim: QueuedClaim) => boolean): QueuedClaim | undefined {
    return this.#lanes[name].take(mayGo);
  }

  *[Symbol.iterator](): IterableIterator<QueuedClaim> {
    for (const name of LANES) yield* this.#lanes[name];
  }
}

function laneOf({ kind, scheduledTime, startsAt, dueAt = scheduledTime }: QueuedClaim, now: number): LaneName {
  if (startsAt && startsAt.getTime() > now) return 'ahead';
  if (kind === 'manual') return 'due';
  // Jitter does not make it late.
  const dueSince = (startsAt ?? dueAt).getTime();
  return kind === 'backfill' || now - dueSince > DEFAULTS.onTimeMilliseconds ? 'late' : 'due';
}
