import { nameOf } from '../core/firing';
import type { OpenStore } from '../store/connection';
import { renewClaims } from '../store/start';
import type { Clock } from './clock';
import type { TriggerLimits } from './limits';
import type { StartQueue } from './queue';
import type { QueuedClaim } from './queued-claim';
import type { StartRate } from './start-rate';

/** Whose claims wait, and how fast they go. */
interface Waiting {
  id: string;
  store: OpenStore;
  clock: Clock;
  limits: TriggerLimits;
  queue: StartQueue;
  rates: { due: StartRate };
}

/** Claims of one statement: of more a beat could come too late, and the planner would rather read whole months than so many keys. */
const RENEWED_AT_ONCE = 1_000;

/** However many wait: what memory should lose after all is found again by then. */
const RENEWED_FOR_AT_MOST_MILLISECONDS = 300_000;

/**
 * Until when the checks of claims are put off that wait in this trigger's queue: a claim whose check comes due is taken for lost.
 * A hint, as the queue itself: the rows are the truth, and whoever forgets it writes them once more.
 */
export class ClaimChecks {
  #renewedAt = Number.NEGATIVE_INFINITY;
  readonly #checkAt = new WeakMap<QueuedClaim, number>();

  /**
   * Thousands may wait behind a burst: they are looked at every quarter of the time, and those written whose half is over, so
   * that it lasts for twice as long as all that wait take to be started at the measured rate. A page at a time, behind each of
   * which there is time for a beat.
   */
  async *renew(context: Waiting): AsyncGenerator<void> {
    const now = context.clock.now();
    const { checkAfterMilliseconds } = context.limits;
    if (now - this.#renewedAt < checkAfterMilliseconds / 4) return;
    const dueBefore = new Date(now + checkAfterMilliseconds / 2);
    const waiting = context.queue.waiting();
    const renewable = waiting.filter((claim) => (this.#checkAt.get(claim) ?? 0) < dueBefore.getTime());
    const renewal = {
      owner: context.id,
      dueBefore,
      checkAt: new Date(now + checkAfterMilliseconds),
      uncalledUntil: new Date(now + lastsFor(context, waiting.length)),
    };
    for (let from = 0; from < renewable.length; from += RENEWED_AT_ONCE) {
      const page = renewable.slice(from, from + RENEWED_AT_ONCE);
      const written = await renewClaims(context.store, page, renewal);
      const checks = new Map(written.map((row) => [nameOf(row), row.checkAt.getTime()]));
      for (const claim of page) {
        const checkAt = checks.get(nameOf(claim));
        if (checkAt !== undefined) this.#checkAt.set(claim, checkAt);
      }
      yield;
    }
    this.#renewedAt = now;
  }
}

/** Twice the time that all that wait take to be started, in milliseconds. */
function lastsFor({ limits, rates }: Waiting, waiting: number): number {
  const twice = 2 * (waiting / rates.due.perSecond) * 1_000;
  return Math.max(limits.checkAfterMilliseconds, Math.min(twice, RENEWED_FOR_AT_MOST_MILLISECONDS));
}
