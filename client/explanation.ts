import type { StoredGap } from '../store/explain';
import type { Firing } from '../store/read-firings';

/** Why nothing answers for an occurrence yet. */
export type NotYet = 'ahead' | 'due' | 'paused' | 'completed' | 'deleted' | 'spec_error';

/** What became of one instant of one schedule. */
export type Explanation = {
  scheduleId: string;
  time: Date;
  /** The answer in words, its times in the schedule's zone. */
  sentence: string;
} & (
  | { answer: 'firing'; firing: Firing }
  | { answer: 'gap'; gap: StoredGap }
  | { answer: 'not_an_occurrence'; nearest: { before: Date | undefined; after: Date | undefined } }
  | {
      answer: 'not_yet';
      because: NotYet;
      /** When a trigger looks at it; undefined while the schedule sleeps. */
      lookAt: Date | undefined;
    }
  | { answer: 'before_creation'; createdAt: Date }
  | { answer: 'retired'; floor: Date }
  /** The definition that was in force then cannot be evaluated any more, so that nobody knows. */
  | { answer: 'spec_error'; version: number; problem: string }
  /** An occurrence whose row is gone: by hand, or with transactions that a failover lost. */
  | { answer: 'missing'; version: number }
);
