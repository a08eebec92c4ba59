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
   * The longest pause between two polls for due schedules. A due time wakes the trigger earlier, so this only bounds
   * how often an idle trigger polls.
   */
  claimIntervalMilliseconds: SECOND,
  /**
   * Two heartbeats may get lost before the trigger counts as dead. The ledger's settings may require a shorter
   * interval.
   */
  heartbeatIntervalMilliseconds: 4 * SECOND,
  /** A takeover waits for its pass at most a fifth of the time that it waits for a missing heartbeat. */
  reconcileIntervalMilliseconds: 2 * SECOND,
  /** Only while a firing is open. The end of a chain that blocks other firings is seen at most a second late. */
  observeIntervalMilliseconds: SECOND,
  /** Partitions are created a month ahead, so even a sweep that fails for days harms nothing. */
  sweepIntervalMilliseconds: 60 * SECOND,
  /** How often alerts are opened and resolved. Messages are not retried more often than this. */
  alertIntervalMilliseconds: 5 * SECOND,
  /**
   * The number of rows that one pass takes. With a backlog, claims take eight times as many. A smaller batch costs more
   * transactions; a larger one holds locks longer.
   */
  batchSize: 500,
  /**
   * The most firings that one pass takes of one schedule, so that a schedule that missed thousands leaves room for
   * others.
   */
  firingsPerScheduleAndPass: 1_000,
  /**
   * The most firings that one pass takes of all schedules; at least one of each. A transaction of 500,000 firings never
   * ended within its time limit.
   */
  firingsPerPass: 5_000,
  /** Starts that are announced together. At 150 starts per second a batch is called within a tenth of its lease. */
  startBatchSize: 100,
  /** The assumed start rate before any measurement: less than a server on one machine takes. */
  startsPerSecondAssumed: 150,
  /**
   * Firings that take longer than this to start together are handed over ahead. A shorter burst ends before anybody
   * would notice.
   */
  preStartAfterMilliseconds: SECOND,
  /**
   * How often each namespace with an open chain is asked for ended chains, in one call for all. 0 polls each chain by
   * itself.
   */
  listEndsIntervalMilliseconds: SECOND,
  /**
   * Pause between two pages of a list: servers allow each namespace only a few list calls per second and refuse the
   * rest.
   */
  listPagePauseMilliseconds: 250,
  /**
   * The time limit of one call to Temporal. A start may reach Temporal this late. All triggers use the same value,
   * since one that abandons a firing relies on it.
   */
  startDeadlineMilliseconds: 5 * SECOND,
  /**
   * How long an announced start may be called; at most four fifths of `staleAfter`. A trigger that abandons a firing
   * relies on it.
   */
  startLeaseMilliseconds: 8 * SECOND,
  /**
   * When an announced start is checked again: after its lease and twice its deadline, no call can reach Temporal any
   * more.
   */
  checkAfterMilliseconds: 30 * SECOND,
  /** Refusals by Temporal before a firing is abandoned: a single refusal may come from a server that restarts. */
  rejectedStartAttempts: 3,
  /**
   * When a chain that did not complete is polled again, in case a person resets it. The pause grows with the chain's
   * age, up to an hour.
   */
  resetCheckMilliseconds: 60 * SECOND,
  /** How long such a chain is watched after its end, so that a reset after a weekend is still seen. */
  resetWatchMilliseconds: 7 * DAY,
  /**
   * Safety margin before the end of the namespace's retention, during which Temporal deduplicates starts. The margin
   * covers clock differences and delayed deletions.
   */
  retentionMarginMilliseconds: 60 * 60 * SECOND,
  /**
   * The longest pause of a pass after Postgres or Temporal failed it, so that work resumes soon after they are back.
   */
  backoffCapMilliseconds: 2 * SECOND,
} as const;

/** {@link LIMITS} with the values in force. */
export type TriggerLimits = { -readonly [Name in keyof typeof LIMITS]: number };
