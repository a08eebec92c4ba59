import type { StartedTime } from './classes';

/** How long after visibility's close time the server's schedule may learn that a run has ended. */
const NOTICED_AFTER_MILLISECONDS = 1_000;

/**
 * Tracks which runs of one schedule were open at a given time. The given time only advances, and runs that ended before
 * it are dropped.
 */
export class Holders {
  /** Runs that start later, the latest first. */
  #coming: StartedTime[] = [];
  #running: StartedTime[] = [];

  /** Add runs of the schedule. Each run counts as open from its start on. */
  add(runs: Iterable<StartedTime>): void {
    this.#coming = [...this.#coming, ...runs].sort((a, b) => b.start - a.start);
  }

  /** Advance to this time; earlier times are no longer needed. */
  passTo(due: number): void {
    while (this.#coming.length > 0 && this.#coming.at(-1)!.start <= due) this.#running.push(this.#coming.pop()!);
    if (this.#running.some((run) => ended(run) <= due)) this.#running = this.#running.filter((run) => ended(run) > due);
  }

  /** The run of another nominal time that is open at the current time; of several, the one that ends last. */
  of(nominal: number): StartedTime | undefined {
    let last: StartedTime | undefined;
    for (const run of this.#running) if (run.nominal !== nominal && (!last || run.end > last.end)) last = run;
    return last;
  }
}

function ended(run: StartedTime): number {
  return run.end + NOTICED_AFTER_MILLISECONDS;
}
