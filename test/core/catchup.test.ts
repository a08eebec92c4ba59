import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Gap,
  gapOver,
  gapsAround,
  type PlanInput,
  planOccurrences,
  startedBefore,
  wholeGap,
} from '../../core/decisions/catchup';
import { planFrozen } from '../../core/decisions/freeze';
import { planAfterPause } from '../../core/decisions/pause';
import { compileSpec, withinSteps } from '../../core/occurrences';
import { at, everyMinute, MINUTE, minuteOf, range } from './minutes';

const NO_LIMITS = { catchupWindowMilliseconds: 1e12, catchupLimit: Number.POSITIVE_INFINITY, firingsAtMost: 10_000 };

const minutesOf = (gaps: Gap[]) =>
  gaps.map(({ from, to, count, reason }) => {
    expect(count).toBe(minuteOf(to) - minuteOf(from) + 1);
    return [minuteOf(from), minuteOf(to), reason];
  });

function planned(input: Partial<PlanInput> & { now: number }) {
  const plan = planOccurrences(everyMinute, { ...NO_LIMITS, answeredTo: at(0), ...input });
  const fires = plan.firings.map(({ scheduledTime }) => minuteOf(scheduledTime));
  return { fires, gaps: minutesOf(plan.gaps) };
}

describe('lateness', () => {
  it.each([
    ['is not due a millisecond before its time', -1, []],
    ['is on time at its time', 0, ['schedule']],
    ['is on time ten seconds late', 10_000, ['schedule']],
    ['is missed when it is a millisecond later than that', 10_001, ['catchup']],
  ])('an occurrence %s', (_, late, kinds) => {
    const plan = planOccurrences(everyMinute, { ...NO_LIMITS, answeredTo: at(4), now: at(5) + late });
    expect(plan.firings).toEqual(kinds.map((kind) => ({ scheduledTime: at(5), kind })));
  });

  it('an occurrence that was answered does not fire again, and one a millisecond later does', () => {
    expect(planned({ answeredTo: at(5), now: at(5) }).fires).toEqual([]);
    expect(planned({ answeredTo: at(5) - 1, now: at(5) }).fires).toEqual([5]);
  });

  it.each([
    ['as old as the window fires', 0, [5, 6, 7, 8], []],
    ['a millisecond older lies in a gap', 1, [6, 7, 8], [[5, 5, 'outside_catchup_window']]],
  ])('a missed occurrence %s', (_, later, fires, gaps) => {
    const input = { answeredTo: at(4), now: at(8) + 30_000, catchupWindowMilliseconds: 3 * MINUTE + 30_000 - later };
    expect(planned(input)).toEqual({ fires, gaps });
  });

  it('what is on time fires however short the window is', () => {
    expect(planned({ answeredTo: at(4), now: at(5) + 10_000, catchupWindowMilliseconds: 0 }).fires).toEqual([5]);
  });
});

describe('the catch-up limit', () => {
  it.each([
    [0, [6]],
    [1, [6]],
    [2, [5, 6]],
    [5, [2, 3, 4, 5, 6]],
    [6, [1, 2, 3, 4, 5, 6]],
    [7, [1, 2, 3, 4, 5, 6]],
    [Number.POSITIVE_INFINITY, [1, 2, 3, 4, 5, 6]],
  ])('counts what is on time, which fires anyway: %s', (catchupLimit, fires) => {
    const missed = 6 - fires.length;
    const gaps = missed === 0 ? [] : [[1, missed, 'over_catchup_limit']];
    expect(planned({ now: at(6), catchupLimit })).toEqual({ fires, gaps });
  });

  it.each([
    [0, []],
    [1, [5]],
    [4, [2, 3, 4, 5]],
    [5, [1, 2, 3, 4, 5]],
  ])('lets the most recent fire where all were missed, the last by a millisecond: %s', (catchupLimit, fires) => {
    expect(planned({ now: at(5) + 10_001, catchupLimit }).fires).toEqual(fires);
  });

  it.each([999, 1_000, 1_001, 1_999, 2_000])('lets the most recent fire however many these are: %s', (catchupLimit) => {
    const gaps = catchupLimit === 2_000 ? [] : [[1, 2_000 - catchupLimit, 'over_catchup_limit']];
    const fires = range(2_001 - catchupLimit, 2_000);
    expect(planned({ now: at(2_000) + 30_000, catchupLimit })).toEqual({ fires, gaps });
  });

  it('is not used up by excluded times: an older occurrence is chosen instead', () => {
    const excluded = [at(5), at(3)];
    const { fires, gaps } = planned({ now: at(5) + 30_000, catchupLimit: 2, excluded });
    expect(fires.filter((minute) => !excluded.includes(at(minute)))).toEqual([2, 4]);
    expect(gaps).toEqual([[1, 1, 'over_catchup_limit']]);
  });

  it('leaves no gap where all but the excluded times may fire', () => {
    const { gaps } = planned({ now: at(3) + 30_000, catchupLimit: 2, excluded: [at(1)] });
    expect(gaps).toEqual([]);
  });

  it('of 0 plans nothing that was missed, also where all of it is excluded', () => {
    const none = { fires: [], gaps: [[1, 2, 'over_catchup_limit']] };
    expect(planned({ now: at(2) + 30_000, catchupLimit: 0, excluded: [at(1), at(2)] })).toEqual(none);
  });
});

describe('retired months', () => {
  it.each([
    ['fires at their very end', at(3), [3, 4, 5], [[1, 2, 'outside_retention']]],
    ['does not fire a millisecond before it', at(3) + 1, [4, 5], [[1, 3, 'outside_retention']]],
    ['does not fire in them, even on time', at(9), [], [[1, 5, 'outside_retention']]],
    ['fires after months that ended before all of it', at(0), [1, 2, 3, 4, 5], []],
  ])('what was due %s', (_, notBefore, fires, gaps) => {
    expect(planned({ now: at(5), notBefore })).toEqual({ fires, gaps });
  });
});

describe('when a schedule is planned again', () => {
  it('a schedule whose last occurrence is answered has no next one, and is not planned again', () => {
    const ended = compileSpec({ cron: '* * * * *', endAt: new Date(at(2)), jitter: '30s' }, { scheduleId: 'ended' });
    expect(planOccurrences(ended, { ...NO_LIMITS, answeredTo: at(1), now: at(4) })).toEqual({
      firings: [{ scheduledTime: at(2), kind: 'catchup' }],
      gaps: [],
      answeredTo: at(4),
      nextFireAt: undefined,
      wakeAt: undefined,
      isCut: false,
    });
  });

  it('a plan that is due at this very instant, but has no room left, is cut', () => {
    const plan = planOccurrences(everyMinute, { ...NO_LIMITS, answeredTo: at(0), now: at(3), firingsAtMost: 2 });
    expect(plan).toMatchObject({ answeredTo: at(3) - 1, nextFireAt: at(3), wakeAt: at(3), isCut: true });
  });

  it('what was answered by a clock that is ahead stays answered', () => {
    const plan = planOccurrences(everyMinute, { ...NO_LIMITS, answeredTo: at(9), now: at(5) });
    expect(plan).toMatchObject({ firings: [], gaps: [], answeredTo: at(9), nextFireAt: at(10), isCut: false });
  });
});

describe('the last instant before which everything has started', () => {
  const jittered = compileSpec({ cron: '0 * * * *', jitter: '50 minutes' }, { scheduleId: 'some' });
  const start = jittered.startTime(at(60));

  it.each([
    ['just before the limit, where nothing starts there', everyMinute, at(5) + 7, at(5) + 6],
    ['just before an occurrence that starts at the limit', everyMinute, at(5), at(5) - 1],
    ['at an occurrence that starts a millisecond before the limit', everyMinute, at(5) + 1, at(5)],
    ['before an occurrence whose jitter runs', jittered, start - 1, at(60) - 1],
    ['before an occurrence whose jitter ends at the limit', jittered, start, at(60) - 1],
    ['just before the limit, once the jitter is over', jittered, start + 1, start],
    ['just before the limit of a spec that has not begun', compileSpec({ at: new Date(at(9)) }), at(5), at(5) - 1],
  ])('lies %s', (_, spec, limit, instant) => {
    expect(start).toBeGreaterThan(at(60) + 1);
    expect(startedBefore(spec, limit)).toBe(instant);
  });
});

describe('a gap', () => {
  it.each([
    ['none where the end lies before the beginning', 5, 3, undefined],
    ['none where both are the same', 5, 5, undefined],
    ['of one occurrence, at its end', 4, 5, [5, 5]],
    ['of many, without the one at its beginning', 2, 5, [3, 5]],
  ])('is %s', (_, after, through, ends) => {
    const gap = gapOver(everyMinute, at(after), at(through), 'paused');
    expect(gap && minutesOf([gap])).toEqual(ends && [[...ends, 'paused']]);
  });

  it.each<[string, number[], number[][]]>([
    ['stays whole around none', [], [[1, 5]]],
    ['loses its first', [1], [[2, 5]]],
    ['loses its last', [5], [[1, 4]]],
    [
      'falls apart in the middle',
      [3],
      [
        [1, 2],
        [4, 5],
      ],
    ],
    [
      'falls apart around neighbours',
      [2, 3],
      [
        [1, 1],
        [4, 5],
      ],
    ],
    [
      'falls apart around each one',
      [2, 4],
      [
        [1, 1],
        [3, 3],
        [5, 5],
      ],
    ],
    ['vanishes where all of it fired', [1, 2, 3, 4, 5], []],
  ])('%s that fired', (_, fired, left) => {
    const gap: Gap = { from: at(1), to: at(5), count: 5, reason: 'paused' };
    expect(minutesOf(gapsAround(everyMinute, gap, fired.map(at)))).toEqual(left.map((ends) => [...ends, 'paused']));
  });
});

describe('twenty intervals of about a minute, which rarely coincide', () => {
  const DAY = 1_440 * MINUTE;
  const seconds = range(60, 79);
  const specOf = (offsets: number[]) =>
    compileSpec({ intervals: seconds.map((n, i) => ({ every: n * 1_000, offset: offsets[i]! * 1_000 })) });
  /** Each time of the intervals in `(after, through]`, by addition alone. */
  const timesOf = (offsets: number[], after: number, through: number) => {
    const times = new Set<number>();
    seconds.forEach((n, i) => {
      const every = n * 1_000;
      let time = Math.floor((after - offsets[i]! * 1_000) / every) * every + offsets[i]! * 1_000;
      while (time <= after) time += every;
      for (; time <= through; time += every) times.add(time);
    });
    return [...times].sort((one, other) => one - other);
  };
  const anyOffsets = fc.tuple(...seconds.map((n) => fc.nat({ max: n - 1 })));
  const anyMissed = fc.record({
    offsets: anyOffsets,
    missed: fc.integer({ min: DAY, max: 2 * DAY }),
    catchupLimit: fc.constantFrom(0, 100, 3_000),
    catchupWindowMilliseconds: fc.constantFrom(10_000, DAY / 2, 365 * DAY),
    meanwhile: fc.constantFrom('outage' as const, 'pause' as const, 'freeze' as const),
  });

  it('are each answered once after a day without triggers, a pause or a freeze of a day', () => {
    fc.assert(
      fc.property(anyMissed, ({ offsets, missed, meanwhile, ...policies }) => {
        const input = { ...policies, answeredTo: at(0), now: at(0) + missed, firingsAtMost: 10_000 };
        const [spec, end] = [specOf(offsets), at(0) + missed - MINUTE];
        const freeze = { freezeId: 'f', from: at(60), to: end, catchUp: 'LAST' as const };
        const plan = {
          outage: () => planOccurrences(spec, input),
          pause: () => planAfterPause(spec, new Date(end), [], input),
          freeze: () => planFrozen(spec, [freeze], input),
        }[meanwhile]();
        const firings = plan.firings.map(({ scheduledTime }) => scheduledTime);
        const missedTimes = plan.gaps.flatMap(({ from, to, count }) => {
          const times = timesOf(offsets, from - 1, to);
          expect([times[0], times.at(-1), times.length]).toEqual([from, to, count]);
          return times;
        });
        const answered = [...missedTimes, ...firings].sort((one, other) => one - other);
        expect(answered).toEqual(timesOf(offsets, at(0), input.now));
        expect(plan).toMatchObject({ answeredTo: input.now, isCut: false });
      }),
      { numRuns: 30 },
    );
  });

  it('are counted for a person, who pauses or updates the schedule, over years: piece by piece', () => {
    const [spec, through] = [specOf(seconds.map(() => 0)), at(0) + 1_461 * DAY];
    expect(() => gapOver(spec, at(0), through, 'paused')).toThrow('takes too long');
    const count = range(0, 1_460).reduce((sum, day) => sum + spec.count(at(0) + day * DAY, at(0) + (day + 1) * DAY), 0);
    const ends = { from: spec.next(at(0)), to: spec.previous(through + 1) };
    const gap = { ...ends, count, reason: 'paused' };
    expect(wholeGap(spec, at(0), through, 'paused')).toEqual(gap);
    expect(withinSteps('spec', () => wholeGap(spec, at(0), through, 'paused'))).toEqual(gap);
    expect(wholeGap(spec, at(0), at(0), 'paused')).toBeUndefined();
  });
});

it('a gap whose pieces take too long as well is refused', () => {
  const skip = range(0, 299).map((n) => ({ hour: '*', minute: '*', second: n % 59 }) as const);
  const spec = compileSpec({ cron: '* * * * * *', skip });
  expect(() => wholeGap(spec, at(0), at(1_000), 'paused')).toThrow('takes too long');
});
