import type { DueTimer } from '../../store/schedules/due';

type Place = Pick<DueTimer, 'scheduleId' | 'seq' | 'wakeAt'>;

/**
 * Schedules whose firings are not handed over ahead, until the schedule changes or is due. The list avoids planning
 * these schedules again and again.
 */
export class Declined {
  readonly #places = new Map<string, Place>();

  add({ scheduleId, seq, wakeAt }: Place): void {
    this.#places.set(scheduleId, { scheduleId, seq, wakeAt });
  }

  has({ scheduleId, seq }: Place): boolean {
    return this.#places.get(scheduleId)?.seq === seq;
  }

  forgetUntil(now: number): void {
    for (const { scheduleId, wakeAt } of this.#places.values()) {
      if (wakeAt.getTime() <= now) this.#places.delete(scheduleId);
    }
  }
}
