import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { play, type Trace } from './play';
import { openTraceDatabase, type TraceDatabase } from './world';

let database: TraceDatabase;
beforeAll(async () => {
  database = await openTraceDatabase(inject('databaseUrl'));
});
afterAll(() => database.close());

const LIMITS = { batchSize: 500, firingsPerScheduleAndPass: 1_000, startsInFlight: 1 };
const POLICIES = {
  overlap: 'SKIP' as const,
  catchupLimit: 3,
  catchupWindowSeconds: 365 * 24 * 3_600,
  onUncertain: 'SKIP' as const,
  pauseOnFailure: false,
};
const SCHEDULE = {
  everySeconds: 5,
  as: 'intervals' as const,
  policies: POLICIES,
  paused: false,
  workflow: { takesSeconds: 0, outcome: 'completed' as const, ignoresCancel: false },
};
const START = { startsAt: Date.UTC(2026, 2, 1, 0, 0, 1), triggers: 2, limits: LIMITS };

/** The smallest traces that once broke a promise. */
const FOUND: Record<string, Trace> = {
  'takes no more actions than remain where the last one would have been replaced': {
    setup: {
      ...START,
      schedules: [
        { ...SCHEDULE, policies: { ...POLICIES, overlap: 'CANCEL_OTHER', maxConcurrent: 2 }, remainingActions: 1 },
      ],
    },
    commands: [
      { do: 'advance', milliseconds: 15_000 },
      { do: 'run', task: { trigger: 0, pass: 'all' } },
    ],
  },
  'replaces firings that have not begun only where that makes room': {
    setup: { ...START, schedules: [{ ...SCHEDULE, workflow: { ...SCHEDULE.workflow, takesSeconds: null } }] },
    commands: [
      { do: 'run', task: { schedule: 0, change: 'backfill', from: 1, periods: 1, overlap: 'ALLOW_ALL' } },
      { do: 'run', task: { schedule: 0, change: 'backfill', from: 0, periods: 1, overlap: 'TERMINATE_OTHER' } },
      { do: 'run', task: { schedule: 0, change: 'backfill', from: 0, periods: 3 } },
    ],
  },
};

describe('traces that once broke a promise', () => {
  for (const [promise, trace] of Object.entries(FOUND)) it(promise, () => play(database, trace));
});
