const SECOND = 1_000;
const DAY = 24 * 60 * 60 * SECOND;

/** Every default of Escapement, with its unit in its name. `npx tsx scripts/write-defaults.ts` writes docs/defaults.md from it. */
export const DEFAULTS = {
  /** Postgres schema that holds everything. */
  schema: 'escapement',
  /** Temporal namespace of a schedule that names none. */
  namespace: 'default',
  /** Rows that a list reads at once. */
  pageSize: 200,
  policies: {
    /** What happens to an occurrence that is due while an earlier firing is open. */
    overlap: 'SKIP',
    /** How late a missed occurrence may still fire: one year, as `ms` reads it. */
    catchupWindowMilliseconds: 365.25 * DAY,
    /** How many missed occurrences fire after downtime: the most recent. */
    catchupLimit: 100,
    /** Whether a failed firing pauses its schedule. */
    pauseOnFailure: false,
    /** What happens to a start that Temporal may have forgotten. */
    onUncertain: 'SKIP',
    /** Whether a firing may be handed to Temporal ahead of its time, where many are due at once. A duration says how far. */
    preStart: true,
    /** Open firings at once, beyond what overlap allows: no bound. */
    maxConcurrent: null,
    /** Whether a firing holds its schedule while a step of it is parked. */
    parkedHolds: true,
    /** How long a step may be parked: until somebody decides. */
    parkedAtMost: null,
  },
  /** An occurrence that is not later than this is on time. Also the shortest catch-up window, as Temporal's. */
  onTimeMilliseconds: 10 * SECOND,
  /** The longest `preStart`: what was handed over is not taken back. */
  longestPreStartMilliseconds: 600 * SECOND,
  /** The shortest `parkedAtMost`, since triggers check it each minute. */
  shortestParkedMilliseconds: 60 * SECOND,
  /** Of a trigger: what `Trigger.create` takes. */
  trigger: {
    /** Start calls to one namespace at once, at most. How many there are follows the server's latency. */
    startsInFlight: 64,
    /** How far ahead of its time a firing of a burst is handed to Temporal, at most. 0 hands nothing over ahead. */
    preStartCapMilliseconds: 10 * SECOND,
    /** How long to try again a start that fails while Temporal answers. Then its firing is abandoned. */
    refusedAtMostMilliseconds: 60 * 60 * SECOND,
    /** How long `CANCEL_OTHER` waits for the cancelled chain to end, before the waiting firing is skipped. */
    cancelWaitMilliseconds: 600 * SECOND,
    /** How long a workflow task waits for a worker before its chain is shown as stalled. */
    stalledAfterMilliseconds: 60 * SECOND,
  },
  /** Of a ledger: what all its triggers must agree on. */
  ledger: {
    /** How old a trigger's last heartbeat is when it counts as dead, and its claims are taken over. */
    staleAfterMilliseconds: 10 * SECOND,
    /** How long firings stay: 90 days. Months that ended before, and of which nothing is open, are retired. */
    retentionMilliseconds: 90 * DAY,
  },
  lease: {
    /** How long a lease lives without being renewed. It is renewed every quarter of that. */
    ttlMilliseconds: 60 * SECOND,
    /** The shortest time to live that may be asked for. */
    shortestTtlMilliseconds: SECOND,
    /** Longest pause between two tries of a lease that another holds. */
    pollCapMilliseconds: 5 * SECOND,
  },
  /** Between two heartbeats of `withLease` and `heartbeatWhile`, or a quarter of the activity's heartbeat timeout if that is less. */
  activityHeartbeatMilliseconds: 15 * SECOND,
} as const;
