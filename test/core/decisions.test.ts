import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gapOver, gapsAround, planOccurrences } from '../../core/decisions/catchup';
import { compileSpec } from '../../core/occurrences';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const everyMinute = compileSpec({ intervals: [{ every: '1 minute' }] });

describe('catch-up', () => {
  const input = fc.record({
    answeredTo: fc.integer({ min: 0, max: 200 * 60_000 }),
    late: fc.integer({ min: -5 * 60_000, max: 400 * 60_000 }),
    catchupWindowMilliseconds: fc.integer({ min: 10_000, max: 300 * 60_000 }),
    catchupLimit: fc.oneof(fc.integer({ min: 0, max: 500 }), fc.constant(Number.POSITIVE_INFINITY)),
    firingsAtMost: fc.integer({ min: 1, max: 500 }),
    notBefore: fc.option(fc.integer({ min: 0, max: 600 * 60_000 }), { nil: undefined }),
  });

  it('answers every occurrence exactly once, by a firing or a gap, whatever was missed', () => {
    fc.assert(
      fc.property(input, ({ answeredTo, late, ...policy }) => {
        const now = answeredTo + late;
        const plan = planOccurrences(everyMinute, { answeredTo, now, ...policy });
        const covered = plan.gaps.flatMap((gap) => {
          const times = [];
          for (let time = gap.from; time <= gap.to; time += 60_000) times.push(time);
          expect(times).toHaveLength(gap.count);
          return times;
        });
        const answers = [...covered, ...plan.firings.map((firing) => firing.scheduledTime)];
        const due = [];
        for (
          let time: number | undefined = everyMinute.next(answeredTo);
          time !== undefined && time <= plan.answeredTo;
        ) {
          due.push(time);
          time = everyMinute.next(time);
        }
        expect(answers).toEqual(due);
        expect(plan.answeredTo).toBeGreaterThanOrEqual(answeredTo);
        expect(plan.answeredTo).toBeLessThanOrEqual(Math.max(now, answeredTo));
        if (plan.firings.length < policy.firingsAtMost) expect(plan.answeredTo).toBe(Math.max(now, answeredTo));
      }),
      { numRuns: 500 },
    );
  });

  it('fires what is on time whatever the limit, and of what was missed no more than the limit', () => {
    fc.assert(
      fc.property(input, ({ answeredTo, late, ...policy }) => {
        const now = answeredTo + late;
        const { firings } = planOccurrences(everyMinute, { answeredTo, now, ...policy });
        const missed = firings.filter((firing) => firing.kind === 'catchup');
        expect(missed.length).toBeLessThanOrEqual(policy.catchupLimit);
        const onTime = firings.length - missed.length;
        expect(firings.length).toBeLessThanOrEqual(Math.max(policy.catchupLimit, onTime));
        for (const { scheduledTime, kind } of firings) {
          expect(kind).toBe(now - scheduledTime > 10_000 ? 'catchup' : 'schedule');
          expect(now - scheduledTime).toBeLessThanOrEqual(Math.max(10_000, policy.catchupWindowMilliseconds));
          expect(scheduledTime).toBeGreaterThanOrEqual(policy.notBefore ?? 0);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('counts lateness from the jittered start: an occurrence whose start is still to come is not missed', () => {
    const jittered = compileSpec({ intervals: [{ every: '1 hour' }], jitter: '59 minutes' }, { scheduleId: 'spread' });
    const nominal = 10 * HOUR;
    const start = jittered.startTime(nominal);
    expect(start).toBeGreaterThan(nominal + 10_000);
    const policy = { catchupWindowMilliseconds: 10_000, catchupLimit: 0, firingsAtMost: 10, answeredTo: nominal - 1 };
    expect(planOccurrences(jittered, { ...policy, now: start - 1 })).toMatchObject({
      firings: [],
      gaps: [],
      answeredTo: nominal - 1,
      wakeAt: start,
    });
    expect(planOccurrences(jittered, { ...policy, now: start }).firings).toEqual([
      { scheduledTime: nominal, kind: 'schedule' },
    ]);
  });

  it('puts what it leaves of a missed schedule behind what is on time, and plans the next one when it starts', () => {
    const policy = { catchupWindowMilliseconds: HOUR, catchupLimit: 10, answeredTo: 0, now: 5 * MINUTE + 30_000 };
    expect(planOccurrences(everyMinute, { ...policy, firingsAtMost: 4 })).toMatchObject({
      nextFireAt: 5 * MINUTE,
      wakeAt: policy.now - 10_001,
      isCut: true,
    });
    const onTime = { ...policy, now: 5 * MINUTE + 5_000, firingsAtMost: 4 };
    expect(planOccurrences(everyMinute, onTime)).toMatchObject({ wakeAt: 5 * MINUTE, isCut: true });
    expect(planOccurrences(everyMinute, { ...policy, firingsAtMost: 5 })).toMatchObject({
      wakeAt: 6 * MINUTE,
      isCut: false,
    });
  });

  it('answers what lies before the retired months’ end by a gap that says so', () => {
    const policy = { catchupWindowMilliseconds: 60 * 60_000, catchupLimit: 2, firingsAtMost: 10 };
    const plan = planOccurrences(everyMinute, {
      ...policy,
      answeredTo: 0,
      now: 100 * 60_000,
      notBefore: 97 * 60_000,
    });
    expect(plan.gaps).toEqual([
      { from: 60_000, to: 39 * 60_000, count: 39, reason: 'outside_catchup_window' },
      { from: 40 * 60_000, to: 96 * 60_000, count: 57, reason: 'outside_retention' },
      { from: 97 * 60_000, to: 98 * 60_000, count: 2, reason: 'over_catchup_limit' },
    ]);
    expect(plan.firings).toEqual([
      { scheduledTime: 99 * 60_000, kind: 'catchup' },
      { scheduledTime: 100 * 60_000, kind: 'schedule' },
    ]);
  });

  it('writes no gap where nothing was due', () => {
    expect(gapOver(everyMinute, 60_000, 119_999, 'paused')).toBeUndefined();
    expect(gapOver(everyMinute, 60_000, 120_000, 'paused')).toMatchObject({ from: 120_000, to: 120_000, count: 1 });
  });

  it('the parts of a gap around its firings keep the reason and the freeze', () => {
    const held = { reason: 'frozen', freezeId: 'f' } as const;
    const gap = { from: MINUTE, to: 5 * MINUTE, count: 5, ...held };
    expect(gapsAround(everyMinute, gap, [MINUTE, 3 * MINUTE])).toEqual([
      { from: 2 * MINUTE, to: 2 * MINUTE, count: 1, ...held },
      { from: 4 * MINUTE, to: 5 * MINUTE, count: 2, ...held },
    ]);
  });
});
