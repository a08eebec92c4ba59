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
  /** The longest `preStart`: what was handed over is not taken back, and an outage of Temporal then loses its lead. */
  longestPreStartMilliseconds: 600 * SECOND,
  /** The shortest `parkedAtMost`: how often triggers check it. */
  shortestParkedMilliseconds: 60 * SECOND,
  /** Of a trigger: what `Trigger.create` takes. */
  trigger: {
    /** Start calls to one namespace at once at most; how many there are follows the server's latency. */
    startsInFlight: 64,
    /** How far ahead a firing is handed to Temporal at most; 0 hands nothing over ahead. */
    preStartCapMilliseconds: 10 * SECOND,
    /** For how long a start is called again that fails though its server answers; its firing is abandoned then. */
    refusedAtMostMilliseconds: 60 * 60 * SECOND,
    /** How long CANCEL_OTHER waits for the cancelled chain to end before the waiting firing is skipped. */
    cancelWaitMilliseconds: 600 * SECOND,
    /** How long a workflow task waits for a worker before its chain is shown as stalled. */
    stalledAfterMilliseconds: 60 * SECOND,
  },
  /** Of a ledger: what all its triggers must agree on. */
  ledger: {
    /** A trigger whose heartbeat is older than this is dead: its claims are taken over. */
    staleAfterMilliseconds: 10 * SECOND,
    /** How long firings are kept: months that ended before, and of which nothing is open, are retired. */
    retentionMilliseconds: 90 * DAY,
  },
  lease: {
    /** How long a lease lives without being renewed; it is renewed every quarter of that. */
    ttlMilliseconds: 60 * SECOND,
    shortestTtlMilliseconds: SECOND,
    /** Longest pause between two tries of a lease that another holds. */
    pollCapMilliseconds: 5 * SECOND,
  },
  /** Between two heartbeats of a helper in an activity without a heartbeat timeout, and at most in one with. */
  activityHeartbeatMilliseconds: 15 * SECOND,
} as const;
