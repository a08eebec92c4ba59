import { DEFAULTS } from '../core/defaults';

const SECOND = 1_000;
const DAY = 24 * 60 * 60 * SECOND;

/**
 * Everything that bounds or paces a trigger: what a user may set, and what only a test changes, each with the reason for its value.
 *
 * @see `docs/decisions/0011-knobs.md`
 */
export const LIMITS = {
  ...DEFAULTS.trigger,
  /** Longest pause between two polls for due schedules. A due time wakes it earlier, so this bounds what an idle trigger asks. */
  claimIntervalMilliseconds: SECOND,
  /** Two may get lost before the third finds its trigger dead, and a shorter one where the ledger says so. */
  heartbeatIntervalMilliseconds: 4 * SECOND,
  /** A takeover waits no longer for its pass than a fifth of what it waits for the heartbeat. */
  reconcileIntervalMilliseconds: 2 * SECOND,
  /** Only while a firing is open. What others wait for is seen to have ended a second late at most. */
  observeIntervalMilliseconds: SECOND,
  /** Months are made a month ahead, and kept for as many days as this is minutes. */
  sweepIntervalMilliseconds: 60 * SECOND,
  /** How often alerts are opened and resolved. A message is tried again no faster. */
  alertIntervalMilliseconds: 5 * SECOND,
  /** Rows that one pass takes; behind a backlog claims take eight times as many. Fewer cost transactions, more hold locks for longer. */
  batchSize: 500,
  /** Firings that one pass takes of one schedule: a schedule that missed thousands leaves room for others. */
  firingsPerScheduleAndPass: 1_000,
  /** Firings that one pass takes of all schedules; one of each at least. 500,000 in one transaction never ended within its time limit. */
  firingsPerPass: 5_000,
  /** Starts that are announced together: at 150 a second they are called within a tenth of their lease. */
  startBatchSize: 100,
  /** How fast starts are taken to go before that was measured: less than a server of one machine takes. */
  startsPerSecondAssumed: 150,
  /** What would take longer than this to start is handed over ahead: a burst of less ends before anybody would notice. */
  preStartAfterMilliseconds: SECOND,
  /** How often each namespace in which a chain is open is asked for what has ended: one call for all. 0 polls each chain by itself. */
  listEndsIntervalMilliseconds: SECOND,
  /** Pause between two pages of a list: servers allow a namespace few lists a second, and refuse the rest of a long one. */
  listPagePauseMilliseconds: 250,
  /**
   * How long one call to Temporal may take. A start may land this late, and whoever gives up reckons with it: so it is the same in
   * all triggers.
   */
  startDeadlineMilliseconds: 5 * SECOND,
  /** How long an announced start may be called, and four fifths of `staleAfter` at most. Whoever gives up reckons with it. */
  startLeaseMilliseconds: 8 * SECOND,
  /** When an announced start is checked again: past its lease and twice its deadline, after which none can still land. */
  checkAfterMilliseconds: 30 * SECOND,
  /** Starts that Temporal refused for good before the firing is abandoned: once might be a server that restarts. */
  rejectedStartAttempts: 3,
  /** When a chain that did not complete is polled again, in case a person resets it; grows with its age to an hour. */
  resetCheckMilliseconds: 60 * SECOND,
  /** How long after its end such a chain is watched: people come back from a weekend. */
  resetWatchMilliseconds: 7 * DAY,
  /** Kept clear of the namespace's retention, in which Temporal deduplicates a start: for its clock, and the delay of its deletions. */
  retentionMarginMilliseconds: 60 * 60 * SECOND,
  /** Longest pause of a pass after Postgres or Temporal failed it: work goes on so soon after either is back. */
  backoffCapMilliseconds: 2 * SECOND,
} as const;

/** {@link LIMITS}, as they are in force. */
export type TriggerLimits = { -readonly [Name in keyof typeof LIMITS]: number };
