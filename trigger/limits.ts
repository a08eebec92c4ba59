/** Limits and intervals of a trigger: `DEFAULTS.trigger`, each of which `Trigger.create` may change. */
export interface TriggerLimits {
  /** Longest pause between two looks for due schedules, in milliseconds. */
  claimIntervalMilliseconds: number;
  /** Between two signs of life, in milliseconds. */
  heartbeatIntervalMilliseconds: number;
  /** A trigger without a sign of life for so many milliseconds is dead. */
  staleAfterMilliseconds: number;
  /** Between two looks for lost claims, in milliseconds. */
  reconcileIntervalMilliseconds: number;
  /** Between two looks at open chains, in milliseconds. */
  observeIntervalMilliseconds: number;
  /** Between two lists of what has ended in a namespace, in milliseconds; 0 looks up each chain by itself. */
  listEndsIntervalMilliseconds: number;
  /** Between two looks at the months of the ledger, in milliseconds. */
  sweepIntervalMilliseconds: number;
  /** Rows that one pass takes at most; claims take up to eight times as many behind a backlog. */
  batchSize: number;
  /** Firings that one pass takes of one schedule at most. */
  firingsPerScheduleAndPass: number;
  /** Firings that one pass takes of all schedules at most; one of each at least. */
  firingsPerPass: number;
  /** Starts that are announced in the ledger together. */
  startBatchSize: number;
  /** Start calls to one namespace at a time at most. */
  startsInFlight: number;
  /** Starts a second that are reckoned with before it was measured. */
  startsPerSecondAssumed: number;
  /** What would take more milliseconds than this to start is handed over ahead. */
  preStartAfterMilliseconds: number;
  /** How many milliseconds ahead at most; 0 hands nothing over ahead. */
  preStartCapMilliseconds: number;
  /** Milliseconds that one call may take. */
  startDeadlineMilliseconds: number;
  /** Milliseconds after its announcement in which a start may be called; less than `staleAfterMilliseconds`. */
  startLeaseMilliseconds: number;
  /** Milliseconds after which a claim that nobody linked is looked at again. */
  checkAfterMilliseconds: number;
  /** Starts that Temporal refuses before a firing is abandoned. */
  rejectedStartAttempts: number;
  /** Milliseconds for which a firing is called again whose start fails though its server answers. */
  refusedAtMostMilliseconds: number;
  /** Milliseconds that CANCEL_OTHER waits for the cancelled chain to end. */
  cancelWaitMilliseconds: number;
  /** Milliseconds that a workflow task waits for a worker before its chain counts as stalled. */
  stalledAfterMilliseconds: number;
  /** Milliseconds after which a chain that did not complete is looked at again. */
  resetCheckMilliseconds: number;
  /** Milliseconds after its end for which such a chain is watched. */
  resetWatchMilliseconds: number;
  /** Milliseconds kept clear of the namespace's retention. */
  retentionMarginMilliseconds: number;
  /** Milliseconds for which the ledger keeps firings. */
  retentionMilliseconds: number;
  /** Longest pause of a pass that failed, in milliseconds. */
  backoffCapMilliseconds: number;
}
