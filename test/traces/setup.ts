import fc from 'fast-check';
import type { FiringOutcome } from '../../core/firing';
import type { ScheduleOptions } from '../../core/schedule/options';
import { OVERLAP_POLICIES, type OverlapPolicy } from '../../core/schedule/policies';
import type { DoubleBehaviour } from '../../testing';

/** How a trace's schedule is defined: simple enough that its occurrences are multiples of a number. */
export interface ScheduleSetup {
  everySeconds: number;
  /** Written as an interval, or as the cron expression that means the same. */
  as: 'intervals' | 'cron';
  policies: {
    overlap: OverlapPolicy;
    maxConcurrent?: number;
    /** `null` is no limit: JSON has no infinity. */
    catchupLimit: number | null;
    catchupWindowSeconds: number;
    onUncertain: 'SKIP' | 'START';
    pauseOnFailure: boolean;
    parkedHolds?: false;
    parkedAtMostSeconds?: number;
  };
  remainingActions?: number;
  paused: boolean;
  softTimeoutSeconds?: number;
  /** Runs that its retry policy allows; without one there is no policy. */
  runsAtMost?: number;
  /** Why Temporal refuses all of its starts: a misspelt search attribute, or a namespace that nobody has registered. */
  refused?: 'searchAttribute' | 'namespace';
  workflow: {
    takesSeconds: number | null;
    outcome: Exclude<FiringOutcome, 'unknown'>;
    ignoresCancel: boolean;
    /** Runs that fail before one does not. */
    fails?: number;
    /** Where it fails: in a child workflow, or by itself. */
    in?: 'child';
    /** Goes on where a parked step is given up. */
    catches?: boolean;
  };
}

/** What a trace begins with. */
export interface TraceSetup {
  /** Epoch milliseconds. */
  startsAt: number;
  schedules: ScheduleSetup[];
  triggers: number;
  limits: {
    batchSize: number;
    firingsPerScheduleAndPass: number;
    startsInFlight: number;
    /** Simulates a server so slow that everything within seconds is handed over ahead. */
    preStartAfterMilliseconds?: 0;
    startsPerSecondAssumed?: number;
  };
}

/** A namespace that an operator registers late. */
export const UNREGISTERED = 'late';

const CRON: Record<number, string> = {
  5: '*/5 * * * * *',
  10: '*/10 * * * * *',
  60: '* * * * *',
  300: '*/5 * * * *',
  3600: '0 * * * *',
};

/** Periods of schedules, seconds. */
export const PERIODS = [5, 7, 10, 60, 300, 3600];

/** A period with a catch-up limit, so that an outage of days leaves only a few firings. */
const timing = fc.constantFrom(...PERIODS).chain((everySeconds) =>
  fc.record({
    everySeconds: fc.constant(everySeconds),
    as:
      everySeconds in CRON ? fc.constantFrom('intervals' as const, 'cron' as const) : fc.constant('intervals' as const),
    catchupLimit: fc.constantFrom(...(everySeconds >= 3600 ? [null, 0, 1, 3] : [3, 0, 1, 7])),
  }),
);

const scheduleSetup: fc.Arbitrary<ScheduleSetup> = fc
  .record({
    timing,
    overlap: fc.constantFrom(...OVERLAP_POLICIES),
    maxConcurrent: fc.constantFrom(undefined, undefined, undefined, 1, 2, 3),
    catchupWindowSeconds: fc.constantFrom(365 * 24 * 3600, 10, 60, 1_000, 4 * 3600),
    onUncertain: fc.constantFrom('SKIP' as const, 'SKIP' as const, 'START' as const),
    pauseOnFailure: fc.constantFrom(false, false, true),
    parkedHolds: fc.constantFrom(undefined, undefined, false as const),
    parkedAtMostSeconds: fc.constantFrom(undefined, undefined, 60, 600),
    remainingActions: fc.constantFrom(undefined, undefined, undefined, undefined, 0, 1, 3),
    paused: fc.constantFrom(false, false, false, false, true),
    softTimeoutSeconds: fc.constantFrom(undefined, undefined, undefined, 20),
    takesSeconds: fc.constantFrom(0, 0, 3, 45, null, null),
    outcome: fc.constantFrom('completed' as const, 'completed' as const, 'failed' as const, 'timed_out' as const),
    ignoresCancel: fc.constantFrom(false, false, true),
    runsAtMost: fc.constantFrom(undefined, undefined, 2, 3),
    refused: fc.constantFrom(...Array(12).fill(undefined), 'searchAttribute' as const, 'namespace' as const),
    fails: fc.constantFrom(0, 0, 1, 2),
    failsIn: fc.constantFrom(undefined, 'child' as const),
    catches: fc.boolean(),
  })
  .map(({ timing, overlap, maxConcurrent, catchupWindowSeconds, onUncertain, pauseOnFailure, ...rest }) => {
    const { takesSeconds, outcome, ignoresCancel, remainingActions, softTimeoutSeconds, paused } = rest;
    const { runsAtMost, refused, fails, failsIn, catches, parkedHolds, parkedAtMostSeconds } = rest;
    return {
      everySeconds: timing.everySeconds,
      as: timing.as,
      policies: {
        overlap,
        ...(maxConcurrent === undefined ? {} : { maxConcurrent }),
        catchupLimit: timing.catchupLimit,
        catchupWindowSeconds,
        onUncertain,
        pauseOnFailure,
        ...(parkedHolds === undefined ? {} : { parkedHolds }),
        ...(parkedAtMostSeconds === undefined ? {} : { parkedAtMostSeconds }),
      },
      ...(remainingActions === undefined ? {} : { remainingActions }),
      ...(softTimeoutSeconds === undefined ? {} : { softTimeoutSeconds }),
      ...(runsAtMost === undefined ? {} : { runsAtMost }),
      ...(refused === undefined ? {} : { refused }),
      paused,
      workflow: {
        takesSeconds,
        outcome,
        ignoresCancel,
        ...(fails ? { fails } : {}),
        ...(failsIn ? { in: failsIn } : {}),
        ...(catches ? { catches } : {}),
      },
    };
  });

/** Even a single start must begin ten seconds ahead. */
const AHEAD = { preStartAfterMilliseconds: 0, startsPerSecondAssumed: 0.1 } as const;

export const traceSetup: fc.Arbitrary<TraceSetup> = fc.record({
  startsAt: fc.constantFrom(
    Date.UTC(2026, 2, 1, 0, 0, 1),
    Date.UTC(2026, 2, 31, 23, 50, 0),
    Date.UTC(2026, 2, 10, 12, 34, 56, 789),
  ),
  schedules: fc.array(scheduleSetup, { minLength: 1, maxLength: 2 }),
  triggers: fc.constantFrom(2, 1, 3),
  limits: fc
    .record({
      batchSize: fc.constantFrom(500, 500, 2),
      firingsPerScheduleAndPass: fc.constantFrom(1_000, 1_000, 2),
      startsInFlight: fc.constantFrom(1, 4),
      isSlow: fc.constantFrom(false, false, false, true),
    })
    .map(({ isSlow, ...limits }) => ({ ...limits, ...(isSlow ? AHEAD : {}) })),
});

/** The schedule as `client.create` takes it. */
export function scheduleOptions(scheduleId: string, workflowType: string, setup: ScheduleSetup): ScheduleOptions {
  const { everySeconds, as, policies, remainingActions, paused, softTimeoutSeconds, runsAtMost, refused } = setup;
  const { overlap, maxConcurrent, catchupLimit, catchupWindowSeconds, onUncertain, pauseOnFailure } = policies;
  const { parkedHolds, parkedAtMostSeconds } = policies;
  return {
    scheduleId,
    ...(refused === 'namespace' ? { namespace: UNREGISTERED } : {}),
    spec: as === 'cron' ? { cron: CRON[everySeconds]! } : { intervals: [{ every: everySeconds * 1_000 }] },
    action: {
      type: 'startWorkflow',
      workflowType,
      taskQueue: 'traces',
      ...(softTimeoutSeconds === undefined ? {} : { softTimeout: softTimeoutSeconds * 1_000 }),
      ...(runsAtMost === undefined ? {} : { retry: { maximumAttempts: runsAtMost, initialInterval: 2_000 } }),
      ...(refused === 'searchAttribute' ? { searchAttributes: { EscapementMisspelt: ['x'] } } : {}),
    },
    policies: {
      overlap,
      ...(maxConcurrent === undefined ? {} : { maxConcurrent }),
      catchupLimit: catchupLimit ?? Number.POSITIVE_INFINITY,
      catchupWindow: catchupWindowSeconds * 1_000,
      onUncertain,
      pauseOnFailure,
      ...(parkedHolds === undefined ? {} : { parkedHolds }),
      ...(parkedAtMostSeconds === undefined ? {} : { parkedAtMost: parkedAtMostSeconds * 1_000 }),
    },
    state: { paused, ...(remainingActions === undefined ? {} : { remainingActions }) },
  };
}

/** How the double plays the workflows of a schedule. */
export function behaviourOf({
  workflow: { takesSeconds, outcome, ignoresCancel, fails = 0 },
}: ScheduleSetup): DoubleBehaviour {
  return {
    takes: takesSeconds === null ? Number.POSITIVE_INFINITY : takesSeconds * 1_000,
    fails,
    outcome,
    onCancel: ignoresCancel ? 'ignore' : 'honour',
  };
}
