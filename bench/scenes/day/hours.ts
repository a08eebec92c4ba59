import type { Trigger } from '../../../trigger';
import { Floors } from '../../../trigger/floors';
import type { PassCosts } from './pass-costs';

const MINUTE = 60_000;
/** The simulated time from the minute at which firings are claimed to the read of their ends. */
const ENDED_AFTER = 20_000;

/** A clock that only the scene moves. */
export interface MovedClock {
  now(): number;
  set(now: number): void;
}

/**
 * Runs a trigger's passes hour by hour on a simulated clock. The clock stands still while there is work, so that every
 * firing is on time. The passes are called as a trigger's loops call them, with floors.
 */
export class Hours {
  readonly #floors = new Floors();

  constructor(
    private readonly trigger: Trigger,
    private readonly clock: MovedClock,
  ) {}

  async live(from: number, costs: PassCosts): Promise<void> {
    for (let minute = from; minute < from + 60 * MINUTE; minute += MINUTE) {
      this.clock.set(minute);
      await this.#claimAndDispatch(costs);
      this.clock.set(minute + ENDED_AFTER);
      await this.#observe(costs);
      await this.#lookAfter(costs);
    }
  }

  async #claimAndDispatch(costs: PassCosts): Promise<void> {
    const { passes } = this.trigger;
    const now = this.clock.now();
    for (let more = true; more; ) {
      const from = this.#floors.timers.at(now);
      const claimed = await costs.timed(
        ({ due }) => (due > 0 ? 'claim' : 'claim, nothing due'),
        () => passes.claim({ from }),
      );
      if (claimed.complete) this.#floors.timers.raise(now, from);
      more = claimed.more;
    }
    for (let more = true; more; ) {
      const dispatched = await costs.timed(
        ({ taken }) => (taken > 0 ? 'dispatch' : 'dispatch, nothing waits'),
        () => passes.dispatch(),
      );
      more = dispatched.more;
    }
  }

  async #observe(costs: PassCosts): Promise<void> {
    const { passes } = this.trigger;
    const now = this.clock.now();
    for (let more = true; more; ) {
      const from = this.#floors.linked.at(now);
      const observed = await costs.timed(
        ({ closed }) => (closed > 0 ? 'observe' : 'observe, nothing ended'),
        () => passes.observe(undefined, { from }),
      );
      if (observed.complete) this.#floors.linked.raise(now, from);
      more = observed.more;
    }
  }

  /** Times the passes that find little or nothing to do. */
  async #lookAfter(costs: PassCosts): Promise<void> {
    const { passes } = this.trigger;
    const now = this.clock.now();
    const { claimed: from, linked: openFrom, closed } = this.#floors.at(now);
    const reconciled = await costs.timed('reconcile', () => passes.reconcile(undefined, { from, openFrom }));
    if (reconciled.complete) this.#floors.claimed.raise(now, from);
    await costs.timed('lower floors', () => passes.lowerFloors(this.#floors));
    const reset = await costs.timed('reset', () => passes.reset(undefined, { from: closed }));
    if (reset.complete) this.#floors.closed.raise(now, closed);
    await costs.timed('redrive', () => passes.redrive());
    await costs.timed('alert', () => passes.alert());
    await costs.timed('heartbeat', () => passes.heartbeat());
    await costs.timed('sweep', () => passes.sweep());
  }
}
