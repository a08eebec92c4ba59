const SECOND = 1_000;
const DAY = 24 * 60 * 60 * SECOND;

/**
 * The defaults of schedules, triggers, ledgers and leases. Names of times have their unit. `npx tsx
 * scripts/write-defaults.ts` writes the table of docs/defaults.md from this object and its comments.
 */
export const DEFAULTS = {
  /** The Postgres schema that contains all tables. */
  schema: 'escapement',
  /** The Temporal namespace of schedules that name none. */
  namespace: 'default',
  /** The number of rows that a list reads per query. */
  pageSize: 200,
  policies: {
    /** What happens to an occurrence that is due while an earlier firing is open. */
    overlap: 'SKIP',
    /** How late scheduled firings may start; buffering and some freezes do not count: one year, as `ms` reads it. */
    catchupWindowMilliseconds: 365.25 * DAY,
    /** How many of the most recent missed occurrences may fire, less those on time. */
    catchupLimit: 100,
    /** Whether a schedule is paused when one of its workflows fails or times out. */
    pauseOnFailure: false,
    /** What happens to a start that Temporal may have forgotten, so that repeating it could start a second workflow. */
    onUncertain: 'SKIP',
    /** Whether firings may be handed to Temporal ahead of their time if many are due; a duration says how far ahead. */
    preStart: true,
    /** How many firings may be open before the overlap policy applies; null: one, or no limit with ALLOW_ALL. */
    maxConcurrent: null,
    /** Whether a firing counts as running while one of its steps is parked. */
    parkedHolds: true,
    /** How long a step may be parked; null means until a person decides. */
    parkedAtMost: null,
  },
  /** An occurrence that is at most this late is on time. No catch-up window is shorter, as in Temporal. */
  onTimeMilliseconds: 10 * SECOND,
  /** The longest `preStart`, since a firing that was handed over cannot be taken back. */
  longestPreStartMilliseconds: 600 * SECOND,
  /** The shortest `parkedAtMost`, since triggers check it every minute. */
  shortestParkedMilliseconds: 60 * SECOND,
  /** Options of a trigger: see `Trigger.create`. */
  trigger: {
    /** The most concurrent start calls of a trigger to one namespace; a backlog, a slow or a busy server gets fewer. */
    startsInFlight: 64,
    /** How far ahead a firing of a burst may be handed to Temporal, unless its schedule says how far. 0 means never. */
    preStartCapMilliseconds: 10 * SECOND,
    /** How long a failing start may be retried while Temporal answers others, or wait uncalled while it refuses all. */
    refusedAtMostMilliseconds: 60 * 60 * SECOND,
    /** How long `CANCEL_OTHER` waits for the cancelled chain to end, before the waiting firing is skipped. */
    cancelWaitMilliseconds: 600 * SECOND,
    /** How long a workflow task waits for a worker before polls find its chain stalled. */
    stalledAfterMilliseconds: 60 * SECOND,
  },
  /** Settings of a ledger, which all its triggers must share. */
  ledger: {
    /** Age of the last heartbeat at which a trigger counts as dead, and its claims are recovered. */
    staleAfterMilliseconds: 10 * SECOND,
    /** At least how long firings stay after their nominal time. Older months are retired, up to the first with something open. */
    retentionMilliseconds: 90 * DAY,
  },
  lease: {
    /** How long a lease lasts without a renewal. The holder renews the lease every quarter of this time. */
    ttlMilliseconds: 60 * SECOND,
    /** The shortest time to live of a lease. */
    shortestTtlMilliseconds: SECOND,
    /** The longest pause between two attempts to acquire a lease that another holder has. */
    pollCapMilliseconds: 5 * SECOND,
  },
  /** How often `withLease` and `heartbeatWhile` call `heartbeat`; a quarter of its timeout, or of `ttl`, if less. */
  activityHeartbeatMilliseconds: 15 * SECOND,
} as const;
