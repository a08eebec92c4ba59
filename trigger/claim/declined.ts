import type { DueTimer } from '../../store/schedules/due';

type Place = Pick<DueTimer, 'scheduleId' | 'seq' | 'wakeAt'>;

/**
 * Schedules that are not to be handed over ahead, until something changes them or their time has come. Only saves planning
 * at them again and again.
 */
export class Declined {
  readonly #places = new Map<string, Place>();

  add({ scheduleId, seq, wakeAt }: Place): void {
    this.#places.set(scheduleId, { scheduleId, seq, wakeAt });
  }

  has({ scheduleId, seq }: Place): boolean {
    return this.#places.get(scheduleId)?.seq === seq;
  }

  /** Forget those whose time has come. */
  forgetUntil(now: number): void {
    for (const { scheduleId, wakeAt } of this.#places.values()) {
      if (wakeAt.getTime() <= now) this.#places.delete(scheduleId);
    }
  }
}
