import type { StartedTime } from './classes';

/** The server learns of an end a little later than visibility says it was: tens of milliseconds, or more where it is busy. */
const NOTICED_AFTER_MILLISECONDS = 1_000;

/** What ran when, of one schedule. Time passes; what ended before is forgotten. */
export class Holders {
  /** By their start, the latest first. */
  #coming: StartedTime[] = [];
  #running: StartedTime[] = [];

  /** Add runs. Each holds the schedule from its start on. */
  add(runs: Iterable<StartedTime>): void {
    this.#coming = [...this.#coming, ...runs].sort((a, b) => b.start - a.start);
  }

  /** Nobody asks for an earlier time any more. */
  passTo(due: number): void {
    while (this.#coming.length > 0 && this.#coming.at(-1)!.start <= due) this.#running.push(this.#coming.pop()!);
    if (this.#running.some((run) => ended(run) <= due)) this.#running = this.#running.filter((run) => ended(run) > due);
  }

  /** What runs at the time that was passed to, and is of another one; what ends last. */
  of(nominal: number): StartedTime | undefined {
    let last: StartedTime | undefined;
    for (const run of this.#running) if (run.nominal !== nominal && (!last || run.end > last.end)) last = run;
    return last;
  }
}

function ended(run: StartedTime): number {
  return run.end + NOTICED_AFTER_MILLISECONDS;
}
