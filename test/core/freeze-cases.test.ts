import { describe, expect, it } from 'vitest';
import { type PlanInput, planOccurrences } from '../../core/decisions/catchup';
import { byEnd, FREEZE_CATCH_UPS, type FreezeCatchUp, freezeAt, planFrozen } from '../../core/decisions/freeze';
import { compileSpec } from '../../core/occurrences';
import { at, everyMinute, minuteOf, range } from './minutes';

const NO_LIMITS = { catchupWindowMilliseconds: 1e12, catchupLimit: Number.POSITIVE_INFINITY, firingsAtMost: 100 };

/** A freeze of everything that starts from one minute to just before another one. */
const freeze = (freezeId: string, from: number, to: number, catchUp: FreezeCatchUp = 'NONE') => ({
  freezeId,
  from: at(from),
  to: at(to),
  catchUp,
});
type Freeze = ReturnType<typeof freeze>;

function planned(freezes: Freeze[], input: Partial<PlanInput> & { now: number }, spec = everyMinute) {
  return planFrozen(spec, freezes, { ...NO_LIMITS, answeredTo: at(9), ...input });
}

/** The minutes that fire, and of each gap its first and last minute, its reason, and its freeze if it has one. */
function answers(...given: Parameters<typeof planned>) {
  const { firings, gaps } = planned(...given);
  return {
    fires: firings.map(({ scheduledTime }) => minuteOf(scheduledTime)),
    gaps: gaps.map(({ from, to, reason, freezeId }) =>
      [minuteOf(from), minuteOf(to), reason, freezeId].filter((one) => one !== undefined),
    ),
  };
}

describe('the freeze that holds a start', () => {
  const early = freeze('early', 10, 20);
  const late = freeze('late', 15, 30);

  it.each([
    ['none before the first', at(10) - 1, undefined],
    ['one that begins then', at(10), early],
    ['the only one, just before another begins', at(15) - 1, early],
    ['of several, the one that ends last', at(15), late],
    ['one that is about to end', at(30) - 1, late],
    ['none once the last has ended', at(30), undefined],
  ])('is %s', (_, instant, holder) => {
    expect(freezeAt([early, late], instant)).toEqual(holder);
    expect(freezeAt([late, early], instant)).toEqual(holder);
  });

  it('is none where there are no freezes', () => {
    expect(freezeAt([], at(10))).toBeUndefined();
  });

  it('is of two that end together the one with the lower ID, whichever begins first', () => {
    const [a, b] = [freeze('a', 12, 20, 'ALL'), freeze('b', 10, 20)];
    for (const both of [
      [a, b],
      [b, a],
    ]) {
      expect([freezeAt(both, at(11)), freezeAt(both, at(12))]).toEqual([b, a]);
      expect([...both].sort(byEnd)).toEqual([a, b]);
      expect(answers(both, { now: at(19) + 30_000 })).toEqual({ fires: [], gaps: [] });
      expect(answers(both, { now: at(20) })).toEqual({
        fires: [...range(12, 19), 20],
        gaps: [[10, 11, 'frozen', 'b']],
      });
    }
  });
});

describe('a freeze that has ended', () => {
  it.each([
    ['NONE', [], [[10, 19, 'frozen', 'f']]],
    ['LAST', [19], [[10, 18, 'frozen', 'f']]],
    ['ALL', range(10, 19), []],
    ['POLICY', range(10, 19), []],
  ] as const)('with %s lets fire what it says, between what was due before and after it', (catchUp, fires, gaps) => {
    for (const now of [at(20), at(25) + 30_000]) {
      const after = range(20, Math.floor(minuteOf(now)));
      const all = { fires: [...range(6, 9), ...fires, ...after], gaps };
      expect(answers([freeze('f', 10, 20, catchUp)], { answeredTo: at(5), now })).toEqual(all);
    }
  });

  it.each([
    ['NONE', [], [[11, 20, 'frozen', 'f']]],
    ['LAST', [20], [[11, 19, 'frozen', 'f']]],
    ['ALL', range(11, 20), []],
    ['POLICY', range(11, 20), []],
  ] as const)('with %s held what started a millisecond before its end, and not before its beginning', (...one) => {
    const [catchUp, fires, gaps] = one;
    const edges = { ...freeze('f', 10, 20, catchUp), from: at(10) + 1, to: at(20) + 1 };
    expect(answers([edges], { now: at(21) })).toEqual({ fires: [10, ...fires, 21], gaps });
  });

  it('says of each firing that it has held it, and with LAST which buffered ones this one replaces', () => {
    const held = (minute: number) => ({ scheduledTime: at(minute), kind: 'catchup', thawed: true });
    const input = { answeredTo: at(17), now: at(20) - 1 };
    const ended = (catchUp: FreezeCatchUp) => [{ ...freeze('f', 10, 20, catchUp), to: at(20) - 1 }];
    expect(planned(ended('ALL'), input).firings).toEqual([held(18), held(19)]);
    // From the beginning of the freeze on, though much of it is answered.
    expect(planned(ended('LAST'), input).firings).toEqual([{ ...held(19), replacesFrom: at(10) }]);
    const missed = (minute: number) => ({ scheduledTime: at(minute), kind: 'catchup' });
    expect(planned(ended('POLICY'), { ...input, now: at(20) + 30_000 }).firings.slice(0, 2)).toEqual([
      missed(18),
      missed(19),
    ]);
  });

  it.each(FREEZE_CATCH_UPS)('answers nothing twice, nor what it has not held: %s', (catchUp) => {
    const hourly = compileSpec({ cron: '15 * * * *' });
    const input = { answeredTo: at(15), now: at(40) };
    const nothing = { fires: [], gaps: [] };
    expect(answers([freeze('answered within', 10, 20, catchUp)], input, hourly)).toEqual(nothing);
    expect(answers([freeze('holds none', 20, 30, catchUp)], input, hourly)).toEqual(nothing);
    expect(answers([freeze('answered since', 5, 10, catchUp)], input, hourly)).toEqual(nothing);
    expect(
      answers([freeze('before the first', 10, 20, catchUp)], input, compileSpec({ at: new Date(at(99)) })),
    ).toEqual(nothing);
  });

  it.each<[FreezeCatchUp, string, number, number[], unknown[][]]>([
    ['ALL', 'at their end', at(15), range(15, 19), [[10, 14, 'frozen', 'f']]],
    ['ALL', 'a millisecond before their end', at(15) + 1, range(16, 19), [[10, 15, 'frozen', 'f']]],
    ['LAST', 'at their end', at(19), [19], [[10, 18, 'frozen', 'f']]],
    ['LAST', 'a millisecond before their end', at(19) + 1, [], [[10, 19, 'frozen', 'f']]],
    ['ALL', 'before their end by far', at(60), [], [[10, 19, 'frozen', 'f']]],
    ['ALL', 'after them', at(0), range(10, 19), []],
  ])('with %s lets nothing fire in retired months: %s', (catchUp, _, notBefore, fires, gaps) => {
    const ended = { ...freeze('f', 10, 20, catchUp), to: at(20) - 1 };
    expect(answers([ended], { now: at(20) - 1, notBefore })).toEqual({ fires, gaps });
  });

  it.each<[FreezeCatchUp, number[], number[], unknown[][]]>([
    ['LAST', [19], [18], [[10, 17, 'frozen', 'f']]],
    ['LAST', range(10, 19), [], [[10, 19, 'frozen', 'f']]],
    ['ALL', [12, 19], [10, 11, ...range(13, 18)], []],
    ['NONE', [12], [], [[10, 19, 'frozen', 'f']]],
  ])('with %s chooses none of the excluded times %j', (catchUp, excluded, fires, gaps) => {
    const ended = { ...freeze('f', 10, 20, catchUp), to: at(20) - 1 };
    expect(answers([ended], { now: at(20) - 1, excluded: excluded.map(at) })).toEqual({ fires, gaps });
  });
});

describe('a freeze that lasts', () => {
  it.each(FREEZE_CATCH_UPS)('answers what was due before it, by policy, and nothing that it holds: %s', (catchUp) => {
    // Minute 10 is due a millisecond before the freeze.
    const lasting = [{ ...freeze('f', 10, 20, catchUp), from: at(10) + 1 }];
    const held = { answeredTo: at(10), nextFireAt: at(20), wakeAt: at(20), frozenUntil: at(20), isAsleep: true };
    for (const now of [at(10) + 1, at(15), at(20) - 1]) {
      const input = { answeredTo: at(7), now };
      expect(answers(lasting, input)).toEqual({ fires: [8, 9, 10], gaps: [] });
      expect(planned(lasting, input)).toMatchObject({ ...held, isCut: false });
    }
    const gaps = [[8, 10, 'over_catchup_limit']];
    expect(answers(lasting, { answeredTo: at(7), now: at(15), catchupLimit: 0 })).toEqual({ fires: [], gaps });
  });

  it.each(FREEZE_CATCH_UPS)('and meets one that has ended with %s holds what that one held as well', (catchUp) => {
    const met = [freeze('a', 10, 20, catchUp), freeze('b', 20, 30)];
    for (const catchupLimit of [0, 100]) {
      const input = { answeredTo: at(9), now: at(25), catchupLimit };
      expect(answers(met, input)).toEqual({ fires: [], gaps: [] });
      expect(planned(met, input)).toMatchObject({ answeredTo: at(10) - 1, nextFireAt: at(30), frozenUntil: at(30) });
    }
  });

  it('does not hold what one held that ended a millisecond before it', () => {
    const apart = [{ ...freeze('a', 10, 20, 'ALL'), to: at(20) - 1 }, freeze('b', 20, 30)];
    expect(answers(apart, { now: at(25) })).toEqual({ fires: range(10, 19), gaps: [] });
    expect(planned(apart, { now: at(25) })).toMatchObject({ answeredTo: at(20) - 1, frozenUntil: at(30) });
  });

  it.each(FREEZE_CATCH_UPS)('is not one that is still to come, whose times are not the next: %s', (catchUp) => {
    const toCome = [freeze('f', 10, 20, catchUp)];
    const input = { ...NO_LIMITS, answeredTo: at(5), now: at(7) };
    expect(planFrozen(everyMinute, toCome, input)).toEqual(planOccurrences(everyMinute, input));
    const before = planned(toCome, { answeredTo: at(5), now: at(10) - 1 });
    expect(before).toMatchObject({ answeredTo: at(10) - 1, nextFireAt: at(20), wakeAt: at(20), isCut: false });
    expect([before.frozenUntil, before.isAsleep]).toEqual([undefined, undefined]);
  });
});

describe('several freezes', () => {
  it('of one within a longer one the longer one decides, and one that ends within it decides until it begins', () => {
    const some = [freeze('outer', 10, 30), freeze('inner', 15, 20, 'ALL'), freeze('early', 5, 12, 'LAST')];
    const gaps = [
      [5, 8, 'frozen', 'early'],
      [10, 29, 'frozen', 'outer'],
    ];
    expect(answers(some, { answeredTo: at(3), now: at(30) })).toEqual({ fires: [4, 9, 30], gaps });
  });

  it('of two that begin together, the one that ends last decides about all of it', () => {
    const some = [freeze('short', 10, 20, 'ALL'), freeze('long', 10, 25)];
    expect(answers(some, { now: at(25) })).toEqual({ fires: [25], gaps: [[10, 24, 'frozen', 'long']] });
  });

  it.each([
    ['NONE', [], ['frozen', 'f']],
    ['POLICY', [], ['frozen', 'f']],
    ['ALL', range(10, 19), undefined],
  ] as const)('and a limit leave gaps in the order of time, each once: %s', (catchUp, fires, reason) => {
    const some = [freeze('e', 3, 5), freeze('f', 10, 20, catchUp), freeze('to come', 40, 50)];
    const gaps = [
      [1, 2, 'over_catchup_limit'],
      [3, 4, 'frozen', 'e'],
      [5, 9, 'over_catchup_limit'],
      ...(reason ? [[10, 19, ...reason]] : []),
      [20, 25, 'over_catchup_limit'],
    ];
    const input = { answeredTo: at(0), now: at(30) + 30_000, catchupLimit: 5 };
    expect(answers(some, input)).toEqual({ fires: [...fires, ...range(26, 30)], gaps });
  });

  it('come in pages: what lies after the last firing with room is left, and so are the gaps there', () => {
    const some = [freeze('a', 5, 8), freeze('b', 10, 20, 'ALL'), freeze('c', 22, 25)];
    const input = { answeredTo: at(4), now: at(30) + 30_000, firingsAtMost: 4 };
    expect(answers(some, input)).toEqual({ fires: [8, 9, 10, 11], gaps: [[5, 7, 'frozen', 'a']] });
    const rest = { answeredTo: at(12) - 1, nextFireAt: at(12), wakeAt: input.now - 10_001, isCut: true };
    expect(planned(some, input)).toMatchObject(rest);
    expect(answers(some, { ...input, answeredTo: at(19), firingsAtMost: 3 })).toEqual({
      fires: [20, 21, 25],
      gaps: [[22, 24, 'frozen', 'c']],
    });
  });

  it('are answered in one page where there is just enough room', () => {
    const ended = [{ ...freeze('f', 10, 13, 'ALL'), to: at(13) - 1 }];
    const plan = planned(ended, { now: at(13) - 1, firingsAtMost: 3 });
    expect(plan).toMatchObject({ answeredTo: at(13) - 1, nextFireAt: at(13), isCut: false });
    expect(plan.firings).toHaveLength(3);
  });
});
