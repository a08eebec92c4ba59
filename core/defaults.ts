const SECOND = 1_000;
const DAY = 24 * 60 * 60 * SECOND;

/** Every default of Escapement, with its unit in its name. `docs/defaults.md` is tested against it. */
export const DEFAULTS = {
  /** Postgres schema that holds everything. */
  schema: 'escapement',
  /** Temporal namespace of a schedule that names none. */
  namespace: 'default',
  /** Rows that a list reads at once. */
  pageSize: 200,
  policies: {
    overlap: 'SKIP',
    /** Temporal's `'1 year'`, as `ms` reads it. */
    catchupWindowMilliseconds: 365.25 * DAY,
    catchupLimit: 100,
    pauseOnFailure: false,
    onUncertain: 'SKIP',
    preStart: true,
    /** No bound beyond what overlap allows. */
    maxConcurrent: null,
    parkedHolds: true,
    /** Until somebody decides. */
    parkedAtMost: null,
  },
  /** The shortest catch-up window, as Temporal's. An occurrence that is not later than this is on time. */
  onTimeMilliseconds: 10 * SECOND,
  /** The shortest `parkedAtMost`: how often triggers look at it. */
  shortestParkedMilliseconds: 60 * SECOND,
  trigger: {
    /** Longest pause between two looks for due schedules. */
    claimIntervalMilliseconds: SECOND,
    heartbeatIntervalMilliseconds: 4 * SECOND,
    /** A trigger whose heartbeat is older than this is dead: its claims are taken over. */
    staleAfterMilliseconds: 10 * SECOND,
    reconcileIntervalMilliseconds: 2 * SECOND,
    /** Only while a firing is open. */
    observeIntervalMilliseconds: SECOND,
    /** How often each namespace in which a chain is open is asked for what has ended; 0 looks up each chain by itself. */
    listEndsIntervalMilliseconds: SECOND,
    sweepIntervalMilliseconds: 60 * SECOND,
    /** Rows that one pass takes at most; claims take up to eight times as many behind a backlog. */
    batchSize: 500,
    /** Firings that one pass takes of one schedule at most; the rest follow in the next pass. */
    firingsPerScheduleAndPass: 1_000,
    /** Firings that one pass takes of all schedules together at most, so that its transaction stays short; one of each at least. */
    firingsPerPass: 5_000,
    /** Starts that are announced in the ledger together. */
    startBatchSize: 100,
    /** Start calls to one namespace at once at most; how many there are follows the server's latency. */
    startsInFlight: 64,
    /** How fast starts are taken to go before that was measured. */
    startsPerSecondAssumed: 150,
    /** What would take longer than this to start is handed to Temporal ahead of its time. */
    preStartAfterMilliseconds: SECOND,
    /** How far ahead at most; 0 hands nothing over ahead. */
    preStartCapMilliseconds: 10 * SECOND,
    startDeadlineMilliseconds: 5 * SECOND,
    /** How long after a start was announced in the ledger it may still be called; less than `staleAfter`. */
    startLeaseMilliseconds: 8 * SECOND,
    /** When a claim that nobody linked is looked at again. */
    checkAfterMilliseconds: 30 * SECOND,
    /** Starts that Temporal refused for good before the firing is abandoned. */
    rejectedStartAttempts: 3,
    /** For how long a start is called again that fails though its server answers; its firing is abandoned then. */
    refusedAtMostMilliseconds: 60 * 60 * SECOND,
    /** How long CANCEL_OTHER waits for the cancelled chain to end before the waiting firing is skipped. */
    cancelWaitMilliseconds: 600 * SECOND,
    /** How long a workflow task waits for a worker before its chain is shown as stalled. */
    stalledAfterMilliseconds: 60 * SECOND,
    /** When a chain that did not complete is looked at again, in case a person resets it; grows with its age to an hour. */
    resetCheckMilliseconds: 60 * SECOND,
    /** How long after its end such a chain is watched. */
    resetWatchMilliseconds: 7 * DAY,
    /** Kept clear of the namespace's retention, in which Temporal deduplicates a start. */
    retentionMarginMilliseconds: 60 * 60 * SECOND,
    /** How long the ledger keeps firings: months that ended before, and of which nothing is open, are retired. */
    retentionMilliseconds: 90 * DAY,
    /** Longest pause of a pass after Postgres or Temporal failed it. */
    backoffCapMilliseconds: 2 * SECOND,
  },
  lease: {
    /** How long a lease lives without being renewed; it is renewed every quarter of that. */
    ttlMilliseconds: 60 * SECOND,
    shortestTtlMilliseconds: SECOND,
    /** Longest pause between two looks at a lease that another holds. */
    pollCapMilliseconds: 5 * SECOND,
  },
  /** Between two heartbeats of a helper in an activity without a heartbeat timeout, and at most in one with. */
  activityHeartbeatMilliseconds: 15 * SECOND,
} as const;
