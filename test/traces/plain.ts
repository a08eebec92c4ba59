/** The default settings of the traces. */
const LIMITS = { batchSize: 500, firingsPerScheduleAndPass: 1_000, startsInFlight: 1 };
export const POLICIES = {
  overlap: 'SKIP' as const,
  catchupLimit: 3,
  catchupWindowSeconds: 365 * 24 * 3_600,
  onUncertain: 'SKIP' as const,
  pauseOnFailure: false,
};
export const SCHEDULE = {
  everySeconds: 5,
  as: 'intervals' as const,
  policies: POLICIES,
  paused: false,
  workflow: { takesSeconds: 0, outcome: 'completed' as const, ignoresCancel: false },
};
export const START = { startsAt: Date.UTC(2026, 2, 1, 0, 0, 1), triggers: 2, limits: LIMITS };
