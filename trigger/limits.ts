import { DEFAULTS } from '../core/defaults';

const SECOND = 1_000;
const DAY = 24 * 60 * 60 * SECOND;

/**
 * Limits and intervals of a trigger: options for users, and values that only tests change.
 *
 * @see `docs/decisions/0011-knobs.md`
 */
export const LIMITS = {
  ...DEFAULTS.trigger,
  /**
   * The usual pause between two claim passes. The pause is shorter if a timer is due earlier, or if due timers are
   * left.
   */
  claimIntervalMilliseconds: SECOND,
  /**
   * By default, one heartbeat may fail before the trigger counts as dead. A short `staleAfter` makes the interval
   * shorter.
   */
  heartbeatIntervalMilliseconds: 4 * SECOND,
  /**
   * The pause between two reconcile passes. By default, it is a fifth of the time after which a trigger without a
   * heartbeat counts as dead.
   */
  reconcileIntervalMilliseconds: 2 * SECOND,
  /** The pause between two observe passes, which run only while a chain may be open. */
  observeIntervalMilliseconds: SECOND,
  /**
   * The pause between two sweeps. Sweeps create partitions a month ahead, so claims find them even if sweeps fail for
   * days.
   */
  sweepIntervalMilliseconds: 60 * SECOND,
  /** The pause between two alert passes, and between two polls for messages to send. */
  alertIntervalMilliseconds: 5 * SECOND,
  /**
   * The most rows that a pass takes at once. A claim that is behind takes up to eight times as many timers. A smaller
   * batch costs more transactions; a larger one holds locks longer.
   */
  batchSize: 500,
  /**
   * The most firings of one schedule that a claim plans at once, so that a schedule that missed thousands leaves room
   * for others. Gaps are not limited.
   */
  firingsPerScheduleAndPass: 1_000,
  /**
   * The most firings that a claim plans for one batch of due schedules, but at least one for each schedule. Without
   * this limit, a transaction might not end within its time limit.
   */
  firingsPerPass: 5_000,
  /** The most starts that are announced together. */
  startBatchSize: 100,
  /** The start rate that is assumed before the first measurement. */
  startsPerSecondAssumed: 150,
  /** If all waiting and coming starts take no longer than this, none is handed over ahead. */
  preStartAfterMilliseconds: SECOND,
  /**
   * How often each namespace with an open chain is asked for a list of its ended chains. With 0, each chain is polled
   * by itself.
   */
  listEndsIntervalMilliseconds: SECOND,
  /**
   * The pause between two pages of a list. Servers limit the list calls per second of a namespace, and refuse the rest.
   */
  listPagePauseMilliseconds: 250,
  /**
   * The time limit of one call to Temporal. All triggers use the same value, since a trigger that abandons a firing
   * relies on the value of the others.
   */
  startDeadlineMilliseconds: 5 * SECOND,
  /**
   * How long after its announcement a start may be called; at most four fifths of `staleAfter`. A trigger that abandons
   * another trigger's firing relies on this value.
   */
  startLeaseMilliseconds: 8 * SECOND,
  /**
   * A start that was not linked is checked this long after its announcement. This time is longer than the lease of a
   * start plus twice its deadline.
   */
  checkAfterMilliseconds: 30 * SECOND,
  /** A firing is abandoned after Temporal has rejected this many of its starts. */
  rejectedStartAttempts: 3,
  /**
   * The shortest pause between polls of a chain that did not complete, in case a person resets it. The pause grows with
   * the time since the chain's end, up to an hour.
   */
  resetCheckMilliseconds: 60 * SECOND,
  /** How long a chain that did not complete is watched after its end, so that a reset after a weekend is still seen. */
  resetWatchMilliseconds: 7 * DAY,
  /**
   * The trigger stops relying on Temporal to deduplicate starts this long before the end of the namespace's retention,
   * but at most a tenth of the retention before. The margin covers clock differences and delayed deletions.
   */
  retentionMarginMilliseconds: 60 * 60 * SECOND,
  /** The longest pause after a failed pass, unless its first pause is longer. */
  backoffCapMilliseconds: 2 * SECOND,
} as const;

export type TriggerLimits = { -readonly [Name in keyof typeof LIMITS]: number };
