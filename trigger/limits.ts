import { DEFAULTS } from '../core/defaults';

const SECOND = 1_000;
const DAY = 24 * 60 * 60 * SECOND;

/**
 * Every limit and interval of a trigger, each with the reason for its value: options for users, and values that only
 * tests change.
 *
 * @see `docs/decisions/0011-knobs.md`
 */
export const LIMITS = {
  ...DEFAULTS.trigger,
  /**
   * The longest pause between two polls for due schedules. A due timer wakes the trigger earlier, so this limits only
   * how often an idle trigger polls.
   */
  claimIntervalMilliseconds: SECOND,
  /**
   * With this interval, one heartbeat may get lost before the trigger counts as dead. The ledger's settings may require
   * a shorter interval.
   */
  heartbeatIntervalMilliseconds: 4 * SECOND,
  /**
   * By default, a fifth of the time after which a trigger without a heartbeat counts as dead. A takeover waits for at
   * most one interval.
   */
  reconcileIntervalMilliseconds: 2 * SECOND,
  /**
   * The pause between polls of open chains, which run only while a firing is open. Without a backlog, the end of a
   * chain that blocks other firings is seen about a second late.
   */
  observeIntervalMilliseconds: SECOND,
  /** Partitions are created a month ahead, so even if sweeps fail for days, nothing is harmed. */
  sweepIntervalMilliseconds: 60 * SECOND,
  /** How often alerts are opened and resolved, and messages that were not delivered are sent again. */
  alertIntervalMilliseconds: 5 * SECOND,
  /**
   * The number of rows that one pass takes. With a backlog, a claim takes up to eight times as many rows. A smaller
   * batch costs more transactions; a larger one holds locks longer.
   */
  batchSize: 500,
  /**
   * The most firings that one pass takes of one schedule, so that a schedule that missed thousands leaves room for
   * others.
   */
  firingsPerScheduleAndPass: 1_000,
  /**
   * The most firings that one batch of due schedules takes; at least one of each schedule. Without this limit, a
   * transaction of 500,000 firings never ended within its time limit.
   */
  firingsPerPass: 5_000,
  /**
   * How many starts are announced together. At 150 starts per second, the calls of a batch are made within a tenth of
   * its lease.
   */
  startBatchSize: 100,
  /** The assumed start rate before any measurement: less than a server on one machine takes. */
  startsPerSecondAssumed: 150,
  /**
   * If a number of firings needs longer than this to start, they are handed over ahead. Nobody would notice that a
   * shorter burst starts late.
   */
  preStartAfterMilliseconds: SECOND,
  /**
   * How often each namespace with an open chain is asked for its ended chains, in one call for all chains. With 0, each
   * chain is polled by itself.
   */
  listEndsIntervalMilliseconds: SECOND,
  /**
   * Pause between two pages of a list: servers allow each namespace only a few list calls per second and refuse the
   * rest.
   */
  listPagePauseMilliseconds: 250,
  /**
   * The time limit of one call to Temporal. So a start may reach Temporal this long after it was called. All triggers
   * use the same value, since a trigger that abandons a firing relies on the value of the others.
   */
  startDeadlineMilliseconds: 5 * SECOND,
  /**
   * How long after its announcement a start may be called; at most four fifths of `staleAfter`. A trigger that abandons
   * another trigger's firing relies on this value.
   */
  startLeaseMilliseconds: 8 * SECOND,
  /**
   * When an announced start is checked again: after its lease and twice its deadline, no call of it can reach Temporal
   * any more.
   */
  checkAfterMilliseconds: 30 * SECOND,
  /**
   * After how many rejections by Temporal a firing is abandoned: a single one may come from a server that restarts.
   */
  rejectedStartAttempts: 3,
  /**
   * How soon a chain that did not complete is polled again, in case a person resets it. The pause between polls grows
   * with the time since the chain's end, up to an hour.
   */
  resetCheckMilliseconds: 60 * SECOND,
  /** How long such a chain is watched after its end, so that a reset after a weekend is still seen. */
  resetWatchMilliseconds: 7 * DAY,
  /**
   * How long before the end of the namespace's retention the trigger stops relying on Temporal to deduplicate starts.
   * The margin covers clock differences and delayed deletions.
   */
  retentionMarginMilliseconds: 60 * 60 * SECOND,
  /**
   * The longest pause after a failed pass, unless the pass has a longer interval. So work resumes soon after Postgres
   * or Temporal answers again.
   */
  backoffCapMilliseconds: 2 * SECOND,
} as const;

/** {@link LIMITS}, with the values that a trigger uses. */
export type TriggerLimits = { -readonly [Name in keyof typeof LIMITS]: number };
