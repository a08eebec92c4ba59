import { ALERT_DEFAULTS } from '../core/alert-defaults';
import type { TriggerProblem } from '../store/table-values';

/** The difference between the clock of this host, by which log lines are dated, and the clock of Postgres. */
export class HostClock {
  #off: { since: Date; milliseconds: number } | undefined;

  /** @param now epoch milliseconds by this host */
  constructor(readonly now: () => number = Date.now) {}

  /**
   * Process a reading of the database's clock that was requested at `sentAt` by this host's clock and has just arrived.
   * The error of the comparison is at most half of the round trip.
   *
   * @param now the time by the trigger's clock
   */
  compare(sentAt: number, database: Date, now: Date): void {
    const receivedAt = this.now();
    const milliseconds = database.getTime() - (sentAt + receivedAt) / 2;
    const surely = Math.abs(milliseconds) - (receivedAt - sentAt) / 2;
    this.#off =
      surely > ALERT_DEFAULTS.clockOffMilliseconds ? { since: this.#off?.since ?? now, milliseconds } : undefined;
  }

  problems(host: string): TriggerProblem[] {
    if (!this.#off) return [];
    const { since, milliseconds } = this.#off;
    const seconds = Math.abs(Math.round(milliseconds / 1_000));
    return [
      {
        condition: 'clock_off',
        subject: host,
        since: since.toISOString(),
        text: `The clock of host '${host}' is ${seconds} s ${milliseconds > 0 ? 'behind' : 'ahead of'} that of Postgres. Its trigger fires by the clock of Postgres; the times in its log are those of its host.`,
        action: 'Synchronize both by NTP.',
      },
    ];
  }
}
