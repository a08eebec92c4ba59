import type { SkippedDay } from '../../core/occurrences/days/skipped-day';
import type { Freeze } from '../../store/freezes/rows';
import type { StoredGap } from '../../store/reads/explain';
import type { Firing } from '../../store/reads/read-firings';
import type { Cause } from './cause';

/** Why an occurrence has no answer yet. */
export type NotYet = 'ahead' | 'due' | 'paused' | 'frozen' | 'completed' | 'deleted' | 'spec_error';

/** What happened at one instant of one schedule. */
export type Explanation = {
  /** The schedule of the question. */
  scheduleId: string;
  /** The instant of the question. */
  time: Date;
  /** The answer in words, with times in the schedule's zone, or in UTC if that zone cannot be read. */
  sentence: string;
} & (
  | {
      answer: 'firing';
      /** The firing of the occurrence. */
      firing: Firing;
      /**
       * Why the firing makes no progress, how it failed, or which parked firing it was skipped behind; undefined if no
       * cause is known.
       */
      cause: Cause | undefined;
    }
  | {
      answer: 'gap';
      /** The gap that covers the occurrence. */
      gap: StoredGap;
      /** The freeze that held the occurrence, if the gap is `frozen`. */
      freeze?: Freeze;
    }
  | {
      answer: 'not_an_occurrence';
      /** If the instant would be an occurrence without `onlyDays` and `skipDays`: which of them leaves it out. */
      skipped?: SkippedDay;
      /** The occurrences around the instant. */
      nearest: {
        /** The last occurrence before the instant. */
        before: Date | undefined;
        /** The first occurrence after the instant. */
        after: Date | undefined;
      };
    }
  | {
      answer: 'not_yet';
      /** What the occurrence waits for. */
      because: NotYet;
      /** The freeze that holds the occurrence if `because` is `frozen`, or has held it if `because` is `due`. */
      freeze?: Freeze;
      /**
       * The planned start if `because` is `ahead` or `due`. If `because` is `frozen`: the end of `freeze`, or of the last
       * freeze that follows it without a break. With pre-start, a trigger may decide earlier.
       */
      checkAt: Date | undefined;
      /**
       * What keeps triggers from deciding an occurrence that is `due`, or that only a newer trigger decides a time
       * `ahead`; otherwise undefined. Mostly, a trigger claims a due occurrence without a cause within a second.
       */
      cause: Cause | undefined;
    }
  | {
      answer: 'before_creation';
      /** When the first version of the schedule was written. */
      createdAt: Date;
    }
  | {
      answer: 'retired';
      /** Firings before this instant are retired. */
      floor: Date;
    }
  /** The definition in force at the time is damaged, or cannot be evaluated any more, so the answer is unknown. */
  | {
      answer: 'spec_error';
      /** The version in force at the time. */
      version: number;
      /** What is wrong with that version. */
      problem: string;
    }
  /**
   * The time is answered, but the occurrence has no firing and no gap. Somebody deleted the row, a failover lost it, or
   * the spec could not be evaluated at that time. Or an erased schedule of this name had answered the occurrence.
   */
  | {
      answer: 'missing';
      /** The version of the definition in which the instant is an occurrence. */
      version: number;
    }
);
