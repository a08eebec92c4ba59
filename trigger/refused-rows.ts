import type { Logger } from '@temporalio/common';
import { Complaint } from '../logging/complaint';
import { isRightMissing } from '../store/postgres-errors';

/**
 * How long an operation leaves out a schedule after Postgres has refused a row of it. The time doubles with each try,
 * up to a minute. After a missing right it does not grow, since a person may grant the right at any moment.
 */
const LEFT_OUT_MILLISECONDS = 5_000;
const LEFT_OUT_AT_MOST_MILLISECONDS = 60_000;
/** An entry is forgotten if no row of its schedule was refused again for about this long. */
const FORGOTTEN_AFTER_MILLISECONDS = 600_000;

export interface RefusedRow {
  scheduleId: string;
  scheduledTime?: Date;
}

/**
 * The schedules with a row that Postgres refused, for example by a constraint. The operation that failed leaves these
 * schedules out for a while when it reads due rows, so that they do not block others.
 */
export class RefusedRows {
  readonly #refused = new Map<string, { until: number; pause: number; complaint: Complaint }>();

  constructor(
    private readonly logger: Logger,
    private readonly now: () => number,
    /**
     * After a failover: the schedules whose lost rows adoption has not written yet. Every operation leaves them out.
     */
    private readonly held: () => string[],
  ) {}

  /** @param what the operation that failed, such as `the claim` */
  put(what: string, { scheduleId, scheduledTime }: RefusedRow, error: Error, { isSaid } = { isSaid: true }): void {
    const now = this.now();
    for (const [name, { until }] of this.#refused) {
      if (until + FORGOTTEN_AFTER_MILLISECONDS < now) this.#refused.delete(name);
    }
    const name = nameOf(what, scheduleId);
    const message = {
      failing: `${what} of a schedule failed, and the others continue; trying again`,
      over: `${what} of the schedule works again`,
    };
    const { until, pause, complaint } = this.#refused.get(name) ?? {
      until: now,
      pause: LEFT_OUT_MILLISECONDS / 2,
      complaint: new Complaint(this.logger, message, { scheduleId }),
    };
    // A statement without a right fails at once, so its pause stays short. A kept lock makes each try wait, so its
    // pause doubles.
    const longer = isRightMissing(error) ? LEFT_OUT_MILLISECONDS : Math.min(2 * pause, LEFT_OUT_AT_MOST_MILLISECONDS);
    // If one try refuses several rows of the schedule, the pause grows only once.
    const next = until > now ? pause : longer;
    this.#refused.set(name, { until: now + next, pause: next, complaint });
    if (isSaid) complaint.failed(error.message, scheduledTime ? { scheduledTime: scheduledTime.toISOString() } : {});
  }

  has(what: string, scheduleId: string): boolean {
    const refused = this.#refused.get(nameOf(what, scheduleId));
    return (refused !== undefined && refused.until > this.now()) || this.held().includes(scheduleId);
  }

  all(what: string): string[] {
    const now = this.now();
    const prefix = nameOf(what, '');
    const refused = [...this.#refused]
      .filter(([name, { until }]) => until > now && name.startsWith(prefix))
      .map(([name]) => name.slice(prefix.length));
    return [...refused, ...this.held()];
  }

  /** Forget that rows of these schedules were refused, since Postgres has now accepted a statement with them. */
  over(what: string, rows: readonly RefusedRow[]): void {
    if (this.#refused.size === 0) return;
    for (const { scheduleId } of rows) {
      const name = nameOf(what, scheduleId);
      this.#refused.get(name)?.complaint.over();
      this.#refused.delete(name);
    }
  }
}

function nameOf(what: string, scheduleId: string): string {
  return `${what} ${scheduleId}`;
}
