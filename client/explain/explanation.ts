import type { SkippedDay } from '../../core/occurrences/days/skipped-day';
import type { Freeze } from '../../store/freezes/rows';
import type { StoredGap } from '../../store/reads/explain';
import type { Firing } from '../../store/reads/read-firings';
import type { Cause } from './cause';

/** Why nothing answers for an occurrence yet. */
export type NotYet = 'ahead' | 'due' | 'paused' | 'frozen' | 'completed' | 'deleted' | 'spec_error';

/** What became of one instant of one schedule. */
export type Explanation = {
  /** The schedule that was asked about. */
  scheduleId: string;
  /** The instant that was asked about. */
  time: Date;
  /** The answer in words, its times in the schedule's zone. */
  sentence: string;
} & (
  | {
      answer: 'firing';
      /** The row that answers for it. */
      firing: Firing;
      /** What keeps it now, what it failed with, or which parked firing it was skipped behind; undefined where nothing is known to. */
      cause: Cause | undefined;
    }
  | {
      answer: 'gap';
      /** The stretch that it lies in. */
      gap: StoredGap;
      /** The freeze that held it, where it is `frozen`. */
      freeze?: Freeze;
    }
  | {
      answer: 'not_an_occurrence';
      /** Where it is one except for its day. */
      skipped?: SkippedDay;
      /** The occurrences around it. */
      nearest: {
        /** The last one before it. */
        before: Date | undefined;
        /** The first one after it. */
        after: Date | undefined;
      };
    }
  | {
      answer: 'not_yet';
      /** What it waits for. */
      because: NotYet;
      /** The freeze that holds it, where it is `frozen`. */
      freeze?: Freeze;
      /** When a trigger reads it next; undefined while the schedule sleeps. */
      checkAt: Date | undefined;
      /** What keeps triggers from an occurrence that is `due`; undefined where one comes to it within a second. */
      cause: Cause | undefined;
    }
  | {
      answer: 'before_creation';
      /** When the schedule's first version was written. */
      createdAt: Date;
    }
  | {
      answer: 'retired';
      /** The ledger keeps nothing before it. */
      floor: Date;
    }
  /** The definition that was in force then is damaged, or cannot be evaluated any more, so that nobody knows. */
  | {
      answer: 'spec_error';
      /** The version of then. */
      version: number;
      /** What is wrong with it. */
      problem: string;
    }
  /** An occurrence whose row is gone: by hand, or with transactions that a failover lost. */
  | {
      answer: 'missing';
      /** The version by which it is an occurrence. */
      version: number;
    }
);
