import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FREEZE_CATCH_UPS, type FreezeStretch, planFrozen } from '../../core/decisions/freeze';
import { handOver } from '../../core/decisions/replaced-definition';
import { compileSpec } from '../../core/occurrences';

const MINUTE = 60_000;
const EPOCH = Date.parse('2026-03-01T00:00:00Z');
const END = 70;
const everyMinute = compileSpec({ cron: '* * * * *' });
const at = (minute: number) => EPOCH + minute * MINUTE;
const minuteOf = (time: number) => (time - EPOCH) / MINUTE;
const NO_LIMITS = { catchupWindowMilliseconds: 1e12, catchupLimit: Number.POSITIVE_INFINITY, firingsAtMost: 100 };

const stretch = fc
  .tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 20 }), fc.constantFrom(...FREEZE_CATCH_UPS))
  .map(([from, length, catchUp]) => ({ from: at(from), to: at(from + length), catchUp }));
const anyFreezes = fc
  .array(stretch, { maxLength: 4 })
  .map((some): FreezeStretch[] => some.map((one, index) => ({ ...one, freezeId: `f${index}` })));

/** For each minute, by plain arithmetic: the freeze that holds it; if there are several, the one that ends last. */
function holderOf(freezes: FreezeStretch[], minute: number): FreezeStretch | undefined {
  return freezes
    .filter(({ from, to }) => from <= at(minute) && at(minute) < to)
    .sort((a, b) => b.to - a.to || (a.freezeId < b.freezeId ? -1 : 1))[0];
}

/** The expected result for each minute, if passes run at some of the minutes. */
function played(freezes: FreezeStretch[], passes: number[], firingsAtMost: number): Map<number, string> {
  const answers = new Map<number, string>();
  const answer = (time: number, what: string) => {
    expect(answers.get(minuteOf(time)), `minute ${minuteOf(time)} had an answer`).toBeUndefined();
    answers.set(minuteOf(time), what);
  };
  let answeredTo = EPOCH;
  for (const minute of [...passes, END].sort((a, b) => a - b)) {
    for (let isCut = true; isCut; ) {
      const plan = planFrozen(everyMinute, freezes, { ...NO_LIMITS, answeredTo, now: at(minute), firingsAtMost });
      expect(plan.firings.length).toBeLessThanOrEqual(firingsAtMost);
      for (const { scheduledTime } of plan.firings) {
        answer(scheduledTime, 'fires');
        expect(holderOf(freezes, minuteOf(scheduledTime))?.to ?? 0).toBeLessThanOrEqual(at(minute));
      }
      for (const gap of plan.gaps) {
        expect(gap.count).toBe(minuteOf(gap.to) - minuteOf(gap.from) + 1);
        for (let time = gap.from; time <= gap.to; time += MINUTE) answer(time, `${gap.reason} ${gap.freezeId}`);
      }
      ({ answeredTo, isCut } = plan);
    }
    // Only what is due since the schedule is held without a break waits.
    let heldSince = minute + 1;
    while (holderOf(freezes, heldSince - 1)) heldSince--;
    for (let past = 1; past <= minute; past++) expect(answers.has(past), `minute ${past}`).toBe(past < heldSince);
  }
  return answers;
}

describe('a plan where freezes hold some of it', () => {
  it('pass by pass, in pages of any size, answers each occurrence once, and starts nothing in a freeze', () => {
    const passes = fc.array(fc.integer({ min: 1, max: END }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(anyFreezes, passes, fc.integer({ min: 1, max: 9 }), (freezes, at, page) => {
        const answers = played(freezes, at, page);
        for (let minute = 1; minute <= END; minute++) {
          const holder = holderOf(freezes, minute);
          const isLast = holderOf(freezes, minute + 1)?.freezeId !== holder?.freezeId;
          const fires =
            !holder || holder.catchUp === 'ALL' || holder.catchUp === 'POLICY' || (holder.catchUp === 'LAST' && isLast);
          expect(answers.get(minute)).toBe(fires ? 'fires' : `frozen ${holder!.freezeId}`);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('what the policy does not catch up is the freeze’s, and what was missed outside of it is not', () => {
    const freeze = { freezeId: 'f', from: at(10), to: at(20), catchUp: 'POLICY' as const };
    const input = { ...NO_LIMITS, answeredTo: EPOCH, now: at(30), catchupLimit: 12 };
    const plan = planFrozen(everyMinute, [freeze], input);
    expect(plan.firings.map(({ scheduledTime }) => minuteOf(scheduledTime))[0]).toBe(19);
    expect(plan.gaps.map(({ from, to, reason }) => [minuteOf(from), minuteOf(to), reason])).toEqual([
      [1, 9, 'over_catchup_limit'],
      [10, 18, 'frozen'],
    ]);
  });

  it.each([
    ['NONE', [10], []],
    ['LAST', [], [10]],
  ] as const)(
    'a change between the time and the start of what it holds lets none of it start: %s',
    (catchUp, gaps, fires) => {
      const spec = compileSpec({ cron: '*/10 * * * *', jitter: '59 seconds' }, { scheduleId: 'jittered' });
      const freeze = { freezeId: 'f', from: at(5), to: at(30), catchUp };
      const left = handOver(spec, {
        ...NO_LIMITS,
        answeredTo: at(9),
        at: spec.startTime(at(10)) - 1,
        freezes: [freeze],
      });
      expect(left.gaps.map(({ from }) => minuteOf(from))).toEqual(gaps);
      expect(left.firings.map(({ scheduledTime, kind }) => [minuteOf(scheduledTime), kind])).toEqual(
        fires.map((minute) => [minute, 'catchup']),
      );
    },
  );

  it('a change leaves 1,000 missed occurrences to fire, and all that a freeze with ALL has held', () => {
    const input = { ...NO_LIMITS, answeredTo: at(-1), at: at(2_000) };
    const freeze = { freezeId: 'f', from: at(0), to: at(3_000), catchUp: 'ALL' as const };
    expect(handOver(everyMinute, { ...input, freezes: [] }).firings).toHaveLength(1_000);
    expect(handOver(everyMinute, { ...input, freezes: [freeze] }).firings).toHaveLength(2_001);
  });

  it('a freeze does not hold what was due before it, though a freeze before that has held something', () => {
    const first = { freezeId: 'a', from: at(10), to: at(15), catchUp: 'LAST' as const };
    const second = { freezeId: 'b', from: at(20), to: at(30), catchUp: 'NONE' as const };
    const late = planFrozen(everyMinute, [first, second], { ...NO_LIMITS, answeredTo: at(9), now: at(21) });
    expect(late.firings.map(({ scheduledTime }) => minuteOf(scheduledTime))).toEqual([14, 15, 16, 17, 18, 19]);
    expect(late).toMatchObject({ answeredTo: at(20) - 1, frozenUntil: at(30) });
    const page = planFrozen(everyMinute, [first, second], {
      ...NO_LIMITS,
      answeredTo: at(9),
      now: at(21),
      firingsAtMost: 2,
    });
    expect(page).toMatchObject({ answeredTo: at(16) - 1, isCut: true, frozenUntil: at(30) });
  });

  it('what counts is when a firing is to start: one whose jitter ends in the freeze is held', () => {
    const spec = compileSpec({ cron: '* * * * *', jitter: '59 seconds' }, { scheduleId: 'jittered' });
    const starts = spec.startTime(at(10));
    const fired = (from: number, to: number) => {
      const freeze = { freezeId: 'f', from, to, catchUp: 'NONE' as const };
      return planFrozen(spec, [freeze], { ...NO_LIMITS, answeredTo: at(9), now: at(11) - 1 }).firings.length;
    };
    expect(starts).toBeGreaterThan(at(10));
    expect([fired(starts, at(11) - 1), fired(at(10), starts + 1)]).toEqual([0, 0]);
    expect([fired(starts + 1, at(11) - 1), fired(at(10), starts)]).toEqual([1, 1]);
  });

  it('a freeze that ends within the jitter of an occurrence holds what waits, though it holds no occurrence', () => {
    const spec = compileSpec({ cron: '* * * * *', jitter: '59 seconds' }, { scheduleId: 'jittered' });
    const freeze = { freezeId: 'f', from: at(10) + 1, to: spec.startTime(at(10)) - 1, catchUp: 'NONE' as const };
    expect(freeze.to).toBeGreaterThan(freeze.from);
    const plan = planFrozen(spec, [freeze], { ...NO_LIMITS, answeredTo: at(10) - 1, now: freeze.from });
    expect(plan).toMatchObject({ firings: [], gaps: [], answeredTo: at(10) - 1, frozenUntil: freeze.to });
    expect(plan.wakeAt).toBe(freeze.to);
  });

  it('a spec that ends within a freeze is not over before the freeze is', () => {
    const spec = compileSpec({ cron: '* * * * *', endAt: new Date(at(15)) });
    const freeze = { freezeId: 'f', from: at(10), to: at(20), catchUp: 'ALL' as const };
    const held = planFrozen(spec, [freeze], { ...NO_LIMITS, answeredTo: at(9), now: at(16) });
    expect(held).toMatchObject({ firings: [], isAsleep: true, wakeAt: at(20), frozenUntil: at(20) });
    const thawed = planFrozen(spec, [freeze], { ...NO_LIMITS, answeredTo: held.answeredTo, now: at(20) });
    expect(thawed.firings).toHaveLength(6);
    expect(thawed.nextFireAt).toBeUndefined();
  });
});
