import { describe, expect, it } from 'vitest';
import { lookaheadOf, planAhead, reachOf } from '../../core/decisions/ahead';
import { compileSpec } from '../../core/occurrences';

const limits = {
  now: 0,
  waiting: 0,
  startsPerSecond: { due: 200, ahead: 400 },
  preStartAfterMilliseconds: 1_000,
  preStartCapMilliseconds: 10_000,
};

describe('the lookahead of pre-start', () => {
  it('leaves to their time what can be started in time', () => {
    expect(lookaheadOf([{ at: 500, until: 500, count: 200, isAsked: false }], limits)).toBeUndefined();
    expect(lookaheadOf([], limits)).toBeUndefined();
  });

  it('reaches a burst when what is left until it is what starting it takes', () => {
    // 1,000 at 400 a second, half as much again for a rate that falls, and a second to look, claim and begin.
    const needed = 1_000 + 2_500 * 1.5;
    expect(lookaheadOf([{ at: needed + 1, until: needed + 1, count: 1_000, isAsked: false }], limits)).toBeUndefined();
    expect(lookaheadOf([{ at: needed, until: needed, count: 1_000, isAsked: false }], limits)).toBe(needed);
  });

  it('begins earlier where starts wait already, and where they go slower', () => {
    const upcoming = [{ at: 6_000, until: 6_000, count: 1_000, isAsked: false }];
    expect(lookaheadOf(upcoming, limits)).toBeUndefined();
    expect(lookaheadOf(upcoming, { ...limits, waiting: 500 })).toBe(6_000);
    expect(lookaheadOf(upcoming, { ...limits, startsPerSecond: { due: 100, ahead: 200 } })).toBe(6_000);
  });

  it('looks from now, whatever the time is', () => {
    const now = Date.parse('2026-03-01T00:00:00Z');
    const burst = (left: number) => [{ at: now + left, until: now + left + 5, count: 1_000, isAsked: false }];
    expect(lookaheadOf(burst(4_750), { ...limits, now })).toBe(now + 4_755);
    expect(lookaheadOf(burst(4_751), { ...limits, now })).toBeUndefined();
  });

  it.each([
    [10_000, 10_000],
    [10_001, undefined],
  ])('reaches a burst at its cap, and none beyond it: %s', (at, horizon) => {
    expect(lookaheadOf([{ at, until: at, count: 100_000, isAsked: false }], limits)).toBe(horizon);
  });

  it('counts all that is due until an instant, and reaches no farther than its cap', () => {
    const upcoming = [
      { at: 100, until: 100, count: 150, isAsked: false },
      { at: 900, until: 900, count: 150, isAsked: false },
      { at: 10_001, until: 10_001, count: 100_000, isAsked: false },
    ];
    expect(lookaheadOf(upcoming, limits)).toBe(900);
    expect(lookaheadOf(upcoming, { ...limits, preStartCapMilliseconds: 0 })).toBeUndefined();
  });

  it('reaches farther where that is asked for, and only when what waits there takes as long', () => {
    const farther = (at: number) => [{ at, until: at, count: 5_000, isAsked: true }];
    const needed = 1_000 + (5_000 / 400) * 1_000 * 1.5;
    expect(lookaheadOf(farther(needed), limits)).toBe(needed);
    expect(lookaheadOf(farther(needed + 1), limits)).toBeUndefined();
    const others = [{ at: needed - 1, until: needed - 1, count: 5_000, isAsked: false }];
    expect(lookaheadOf([...others, ...farther(needed + 1)], limits)).toBeUndefined();
  });

  it('is what the schedule asks for, what the trigger allows for all, or nothing', () => {
    expect(reachOf({ preStart: true }, 10_000)).toBe(10_000);
    expect(reachOf({ preStart: 60_000 }, 10_000)).toBe(60_000);
    expect(reachOf({ preStart: 2_000 }, 10_000)).toBe(2_000);
    expect(reachOf({ preStart: false }, 10_000)).toBe(0);
    expect(reachOf({ preStart: 60_000 }, 0)).toBe(0);
  });
});

describe('a plan made ahead', () => {
  const daily = compileSpec({ cron: '0 2 * * *' });
  const at = (text: string) => Date.parse(`2026-03-01T${text}Z`);

  it('answers for the one next occurrence and not for the time after it', () => {
    const ahead = planAhead(daily, { answeredTo: at('00:00:00'), now: at('01:59:55'), until: at('02:00:00') });
    expect(ahead).toEqual({
      startsAt: new Date(at('02:00:00')),
      plan: {
        firings: [{ scheduledTime: at('02:00:00'), kind: 'schedule' }],
        gaps: [],
        answeredTo: at('02:00:00'),
        nextFireAt: at('02:00:00') + 86_400_000,
        wakeAt: at('02:00:00') + 86_400_000,
        isCut: false,
      },
    });
  });

  it('is none for what is due by now, for what starts later, and after the end', () => {
    const look = { answeredTo: at('00:00:00'), now: at('01:59:55'), until: at('02:00:00') };
    expect(planAhead(daily, { ...look, now: at('02:00:00') })).toBeUndefined();
    expect(planAhead(daily, { ...look, until: at('01:59:59') })).toBeUndefined();
    expect(planAhead(compileSpec({ at: new Date(at('00:00:00')) }), look)).toBeUndefined();
  });

  it('leaves a schedule without a next time once its last occurrence is handed over', () => {
    const endAt = new Date(at('02:00:00'));
    const ending = compileSpec({ cron: '0 2 * * *', endAt, jitter: '10 minutes' }, { scheduleId: 'some' });
    const look = { answeredTo: at('00:00:00'), now: at('01:59:55'), until: at('02:10:00') };
    const ahead = planAhead(ending, look);
    expect(ahead?.plan).toMatchObject({ firings: [{ scheduledTime: at('02:00:00') }], answeredTo: at('02:00:00') });
    expect([ahead?.plan.nextFireAt, ahead?.plan.wakeAt]).toEqual([undefined, undefined]);
  });

  it('goes by the jittered start', () => {
    const jittered = compileSpec({ cron: '0 2 * * *', jitter: '10 minutes' }, { scheduleId: 'some' });
    const startsAt = jittered.startTime(at('02:00:00'));
    expect(startsAt).toBeGreaterThan(at('02:00:00'));
    const look = { answeredTo: at('00:00:00'), now: at('01:59:55') };
    expect(planAhead(jittered, { ...look, until: startsAt - 1 })).toBeUndefined();
    expect(planAhead(jittered, { ...look, until: startsAt })?.startsAt).toEqual(new Date(startsAt));
  });
});
