import type { Logger } from '@temporalio/common';
import { Complaint } from './complaint';

/** A refused row is tried again after this time, so that its schedule resumes soon after the cause is gone. */
const LEFT_OUT_MILLISECONDS = 5_000;
/**
 * An entry that was not tried again for this long is forgotten: the schedule no longer exists, or its problem is over.
 */
const FORGOTTEN_AFTER_MILLISECONDS = 600_000;

/** Names a row that Postgres refused. */
export interface RefusedRow {
  scheduleId: string;
  /** The nominal time, if the row belongs to a firing. */
  scheduledTime?: Date;
}

/**
 * Rows that Postgres refuses, for example by a constraint. Such rows are logged and left out for a while, so that they
 * do not block other rows.
 */
export class RefusedRows {
  readonly #refused = new Map<string, { until: number; complaint: Complaint }>();

  constructor(
    private readonly logger: Logger,
    private readonly now: () => number,
    /** Schedules that every pass leaves out until their lost rows are adopted after a failover. */
    private readonly held: () => string[],
  ) {}

  /** @param what the operation that failed, such as `the claim` */
  put(what: string, { scheduleId, scheduledTime }: RefusedRow, error: Error): void {
    const now = this.now();
    for (const [name, { until }] of this.#refused) {
      if (until + FORGOTTEN_AFTER_MILLISECONDS < now) this.#refused.delete(name);
    }
    const name = nameOf(what, scheduleId);
    const message = {
      failing: `${what} of a schedule failed, and the others continue; trying again`,
      over: `${what} of the schedule works again`,
    };
    const complaint = this.#refused.get(name)?.complaint ?? new Complaint(this.logger, message, { scheduleId });
    this.#refused.set(name, { until: now + LEFT_OUT_MILLISECONDS, complaint });
    complaint.failed(error.message, scheduledTime ? { scheduledTime: scheduledTime.toISOString() } : {});
  }

  /** Whether this operation leaves out this schedule for now. */
  has(what: string, scheduleId: string): boolean {
    const refused = this.#refused.get(nameOf(what, scheduleId));
    return (refused !== undefined && refused.until > this.now()) || this.held().includes(scheduleId);
  }

  /** The schedules that this operation leaves out for now. */
  all(what: string): string[] {
    const now = this.now();
    const prefix = nameOf(what, '');
    const refused = [...this.#refused]
      .filter(([name, { until }]) => until > now && name.startsWith(prefix))
      .map(([name]) => name.slice(prefix.length));
    return [...refused, ...this.held()];
  }

  /** Forget that these rows were refused, since they have been written. */
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
