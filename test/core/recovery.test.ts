import { describe, expect, it } from 'vitest';
import { decideRecovery, type LostFiring, type RecoveryLimits } from '../../core/decisions/recovery';
import { FIRING_KINDS } from '../../core/firing';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('recovery', () => {
  const lost: LostFiring = {
    dueAt: 0,
    kind: 'schedule',
    rejectedAttempts: 0,
    firstAttemptedAt: undefined,
    schedule: 'enabled',
  };
  const limits: RecoveryLimits = {
    now: HOUR,
    catchupWindowMilliseconds: 2 * HOUR,
    onUncertain: 'SKIP',
    deduplicatedForMilliseconds: 24 * HOUR,
    rejectedAttemptsAtMost: 3,
    refusedAtMostMilliseconds: 3_600_000,
  };

  it.each<[string, Partial<LostFiring>, Partial<RecoveryLimits>, object]>([
    ['lets what was never attempted wait for its turn', {}, {}, { action: 'dispatch' }],
    [
      'starts again what was attempted while Temporal deduplicates it',
      { firstAttemptedAt: 1 },
      {},
      { action: 'start', rememberedFor: 24 * HOUR },
    ],
    [
      'starts it again until just before the end of that',
      { dueAt: 30 * HOUR, firstAttemptedAt: 30 * HOUR },
      { now: 31 * HOUR - 1, deduplicatedForMilliseconds: HOUR },
      { action: 'start', rememberedFor: HOUR },
    ],
    [
      'looks for it from the end of that on',
      { dueAt: 30 * HOUR, firstAttemptedAt: 30 * HOUR },
      { now: 31 * HOUR, deduplicatedForMilliseconds: HOUR },
      { action: 'find', reason: 'start_uncertain' },
    ],
    [
      'lets what is as old as the catch-up window allows wait for its turn',
      { dueAt: 5 * HOUR },
      { now: 7 * HOUR },
      { action: 'dispatch' },
    ],
    [
      'gives up what is a millisecond older than that',
      { dueAt: 5 * HOUR },
      { now: 7 * HOUR + 1 },
      { action: 'abandon', reason: 'outside_catchup_window' },
    ],
    [
      'counts a catch-up by the same window',
      { dueAt: 5 * HOUR, kind: 'catchup' },
      { now: 7 * HOUR + 1 },
      { action: 'abandon', reason: 'outside_catchup_window' },
    ],
    [
      'says of what is old and of a paused schedule that it was paused',
      { schedule: 'paused', kind: 'catchup' },
      { now: 9 * HOUR },
      { action: 'skip', reason: 'paused' },
    ],
    ['tries again before the last refusal', { rejectedAttempts: 2 }, {}, { action: 'dispatch' }],
    [
      'looks for what was attempted before it gives it up for its refusals',
      { firstAttemptedAt: 1, rejectedAttempts: 3 },
      {},
      { action: 'find', reason: 'start_rejected' },
    ],
    [
      'looks for what was attempted for a schedule that was deleted since, whoever asked for it',
      { firstAttemptedAt: 1, schedule: 'deleted', kind: 'backfill' },
      {},
      { action: 'find', reason: 'schedule_deleted' },
    ],
    [
      'gives up what was never attempted and is too old',
      {},
      { now: 3 * HOUR },
      { action: 'abandon', reason: 'outside_catchup_window' },
    ],
    [
      'looks for what was attempted before it gives it up as too old',
      { firstAttemptedAt: 1 },
      { now: 3 * HOUR },
      { action: 'find', reason: 'outside_catchup_window' },
    ],
    [
      'skips a paused schedule’s that was never attempted',
      { schedule: 'paused' },
      {},
      { action: 'skip', reason: 'paused' },
    ],
    [
      'looks for a paused schedule’s that was attempted',
      { schedule: 'paused', firstAttemptedAt: 1 },
      {},
      { action: 'find', reason: 'schedule_paused' },
    ],
    [
      'lets a manual firing of a paused schedule wait for its turn',
      { schedule: 'paused', kind: 'manual' },
      { now: 9 * HOUR },
      { action: 'dispatch' },
    ],
    [
      'lets a backfill of a paused schedule wait for its turn, however old its time',
      { schedule: 'paused', kind: 'backfill' },
      { now: 9 * HOUR },
      { action: 'dispatch' },
    ],
    [
      'skips a deleted schedule’s that was never attempted, whoever asked for it',
      { schedule: 'deleted', kind: 'manual' },
      {},
      { action: 'skip', reason: 'schedule_deleted' },
    ],
    ['gives up after the last refusal', { rejectedAttempts: 3 }, {}, { action: 'abandon', reason: 'start_rejected' }],
    [
      'gives up what was refused for too long, whoever asked for it',
      { refusedForMilliseconds: 3_600_000, kind: 'manual', redriven: true },
      {},
      { action: 'abandon', reason: 'start_refused' },
    ],
    [
      'lets what was refused for less wait for its turn',
      { refusedForMilliseconds: 3_599_999 },
      {},
      { action: 'dispatch' },
    ],
    [
      'waits while Temporal has not said how long it deduplicates',
      { firstAttemptedAt: 1 },
      { deduplicatedForMilliseconds: undefined },
      { action: 'wait' },
    ],
    [
      'by default never starts what Temporal may have forgotten',
      { firstAttemptedAt: 1 },
      { deduplicatedForMilliseconds: 0 },
      { action: 'find', reason: 'start_uncertain' },
    ],
  ])('%s', (_, firing, changed, decision) => {
    expect(decideRecovery({ ...lost, ...firing }, { ...limits, ...changed })).toEqual(decision);
  });

  it('starts what Temporal may have forgotten only where the schedule asks for at least once', () => {
    const attempted = { ...lost, firstAttemptedAt: 1 };
    const uncertain = { ...limits, deduplicatedForMilliseconds: 0, onUncertain: 'START' as const };
    expect(decideRecovery(attempted, uncertain)).toEqual({ action: 'start', rememberedFor: Number.POSITIVE_INFINITY });
  });

  it.each([
    ['start_rejected' as const, { rejectedAttempts: 3 }],
    ['start_refused' as const, { refusedForMilliseconds: 3_600_000 }],
  ])('gives up with %s where that is so, even if Temporal may have forgotten the start', (reason, firing) => {
    const uncertain = { ...limits, deduplicatedForMilliseconds: 0, onUncertain: 'START' as const };
    expect(decideRecovery({ ...lost, firstAttemptedAt: 1, ...firing }, uncertain)).toEqual({ action: 'find', reason });
  });

  it.each([
    ['its schedule is paused', { schedule: 'paused' as const }, {}],
    ['its schedule is deleted', { schedule: 'deleted' as const }, {}],
    ['it is outside its window', {}, { now: 100 * HOUR }],
  ])('gives up what Temporal may have forgotten as uncertain, also where %s', (_, firing, changed) => {
    const uncertain = { ...limits, deduplicatedForMilliseconds: 0, onUncertain: 'START' as const };
    expect(decideRecovery({ ...lost, firstAttemptedAt: 1, ...firing }, { ...uncertain, ...changed })).toEqual({
      action: 'find',
      reason: 'start_uncertain',
    });
  });

  it.each(FIRING_KINDS)(
    'lets what a person redrove wait for its turn, whatever has become of its schedule: %s',
    (kind) => {
      for (const schedule of ['enabled', 'paused', 'deleted'] as const) {
        const redriven = { ...lost, kind, schedule, redriven: true };
        const late = { ...limits, now: 9 * HOUR };
        expect(decideRecovery(redriven, late), schedule).toEqual({ action: 'dispatch' });
        expect(decideRecovery({ ...redriven, firstAttemptedAt: 8 * HOUR }, late), schedule).toEqual({
          action: 'start',
          rememberedFor: 24 * HOUR,
        });
      }
    },
  );

  it('gives up what a person redrove after its last refusal', () => {
    const decision = decideRecovery({ ...lost, redriven: true, rejectedAttempts: 3 }, limits);
    expect(decision).toEqual({ action: 'abandon', reason: 'start_rejected' });
  });
});
