import type { ScheduleSetup } from './setup';

/** An occurrence that is at most this late is on time. */
const ON_TIME_MILLISECONDS = 10_000;

/** A period in which one definition is in force. */
export interface Era {
  /** Exclusive, epoch milliseconds, as all instants here; the next era's begin ends it. */
  from: number;
  version: number;
  every: number;
  policies: ScheduleSetup['policies'];
}

/** What an answer to the occurrences in `(after, through]` must look like. */
export interface ExpectedAnswers {
  gaps: { from: number; to: number; count: number; reason: string }[];
  /** Occurrences behind this instant have a row each. */
  rowsAfter: number;
}

/**
 * What the ledger of a schedule must contain, by plain arithmetic: occurrences are the multiples of a period. It uses
 * none of the code under test.
 */
export class ModelSchedule {
  readonly eras: Era[] = [];
  deleted = false;
  /** Of the latest create. */
  remainingActions: number | undefined;
  firstVersion = 1;

  constructor(readonly scheduleId: string) {}

  get era(): Era {
    return this.eras.at(-1)!;
  }

  /** Created, or created again after a deletion. */
  create(setup: ScheduleSetup, now: number): void {
    this.deleted = false;
    this.remainingActions = setup.remainingActions;
    this.#begin(setup, now);
    this.firstVersion = this.era.version;
  }

  /** Gets another definition; the current one answers for occurrences that are due so far. */
  update(setup: ScheduleSetup, now: number): void {
    this.#begin(setup, now);
  }

  #begin({ everySeconds, policies }: ScheduleSetup, now: number): void {
    this.eras.push({ from: now, version: this.eras.length + 1, every: everySeconds * 1_000, policies });
  }

  /** Occurrences in `(after, through]`, each by the definition that was in force then. */
  count(after: number, through: number): number {
    let count = 0;
    this.eras.forEach((era, index) => {
      const from = Math.max(after, era.from);
      const to = Math.min(through, this.eras[index + 1]?.from ?? Number.POSITIVE_INFINITY);
      if (to > from) count += Math.floor(to / era.every) - Math.floor(from / era.every);
    });
    return count;
  }

  /** The version whose occurrence an instant is. */
  versionAt(instant: number): number | undefined {
    const era = this.eras.findLast(({ from }) => from < instant);
    return era && instant % era.every === 0 ? era.version : undefined;
  }

  /**
   * Number of occurrences of the current definition between two instants, both inclusive, whatever was in force then.
   */
  presentCount(from: number, to: number): number {
    const { every } = this.era;
    return Math.floor(to / every) - Math.floor((from - 1) / every);
  }

  /** The first occurrence behind an instant, by the present definition. */
  next(after: number): number {
    const { every } = this.era;
    return (Math.floor(after / every) + 1) * every;
  }

  /** One gap over all of a stretch, as a pause or a deletion leaves it. */
  asGap(after: number, through: number, reason: string): ExpectedAnswers {
    return { gaps: this.#gap(after, through, reason), rowsAfter: through };
  }

  /** The decision about due occurrences without an answer at `now`, by the catch-up policy. */
  caughtUp(after: number, now: number, { every, policies }: Era, excluded: ReadonlySet<number>): ExpectedAnswers {
    const { catchupLimit, catchupWindowSeconds } = policies;
    const onTimeFrom = Math.max(after, now - ON_TIME_MILLISECONDS - 1);
    const windowFrom = Math.min(onTimeFrom, Math.max(after, now - catchupWindowSeconds * 1_000 - 1));
    const firing = (from: number, to: number) =>
      this.count(from, to) - [...excluded].filter((time) => from < time && time <= to).length;
    const allowed = Math.max(0, (catchupLimit ?? Number.POSITIVE_INFINITY) - firing(onTimeFrom, now));
    let limitFrom = windowFrom;
    if (firing(windowFrom, onTimeFrom) > allowed) {
      limitFrom = onTimeFrom;
      for (let left = allowed; left > 0; ) {
        const time = Math.floor(limitFrom / every) * every;
        if (!excluded.has(time)) left -= 1;
        limitFrom = time - 1;
      }
    }
    return {
      gaps: [
        ...this.#gap(after, windowFrom, 'outside_catchup_window'),
        ...this.#gap(windowFrom, limitFrom, 'over_catchup_limit'),
      ],
      rowsAfter: limitFrom,
    };
  }

  /**
   * The rest of gaps around firings in them, ordered by time. A firing that was handed over ahead may belong to the
   * former definition.
   */
  around(gaps: ExpectedAnswers['gaps'], fired: number[]): ExpectedAnswers['gaps'] {
    return gaps.flatMap(({ from, to, reason }) => {
      const inside = fired.filter((time) => from <= time && time <= to);
      const begins = [from - 1, ...inside];
      return [...inside.map((time) => time - 1), to].flatMap((end, index) => this.#gap(begins[index]!, end, reason));
    });
  }

  /** Whether a firing that was due at `due` is on time at `now`. */
  isOnTime(due: number, now: number): boolean {
    return now - due <= ON_TIME_MILLISECONDS;
  }

  /** How many chains may already be running when one more begins. */
  capacity(overlap: string | null, policies = this.era.policies): number {
    return policies.maxConcurrent ?? ((overlap ?? policies.overlap) === 'ALLOW_ALL' ? Number.POSITIVE_INFINITY : 1);
  }

  #gap(after: number, through: number, reason: string): ExpectedAnswers['gaps'] {
    const count = this.count(after, through);
    if (count === 0) return [];
    const eras = this.eras.filter(({ from }) => from < through);
    const last = eras.at(-1)!;
    const first = this.eras.findLast(({ from }) => from <= after) ?? this.eras[0]!;
    const from = (Math.floor(Math.max(after, first.from) / first.every) + 1) * first.every;
    return [{ from, to: Math.floor(through / last.every) * last.every, count, reason }];
  }
}
