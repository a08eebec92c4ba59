import { describe, expect, it } from 'vitest';
import { type CompiledSpec, compileSpec } from '../../../../core/occurrences';
import { RememberedSpec } from '../../../../core/occurrences/remembered';
import { at, minuteOf, range } from '../../minutes';

/** A spec that fires every ten minutes, and its memory, which asks it less often. */
function asked(spec: CompiledSpec = compileSpec({ cron: '*/10 * * * *' })) {
  const questions: string[] = [];
  const watched: CompiledSpec = {
    next: (after) => {
      questions.push(`next ${minuteOf(after)}`);
      return spec.next(after);
    },
    previous: (before) => {
      questions.push(`previous ${minuteOf(before)}`);
      return spec.previous(before);
    },
    count: (after, through) => {
      questions.push(`count ${minuteOf(after)} ${minuteOf(through)}`);
      return spec.count(after, through);
    },
    startTime: (nominal) => spec.startTime(nominal),
  };
  const remembered = new RememberedSpec(watched);
  const minute = (time: number | undefined) => (time === undefined ? undefined : minuteOf(time));
  return {
    questions,
    next: (after: number) => minute(remembered.next(at(after))),
    previous: (before: number) => minute(remembered.previous(at(before))),
    count: (after: number, through: number) => remembered.count(at(after), at(through)),
  };
}

const untilTen = compileSpec({ cron: '*/10 * * * *', startAt: new Date(at(10)), endAt: new Date(at(10)) });

describe('a remembered next time', () => {
  it('is asked for once, from the instant of the question up to the time itself', () => {
    const { next, questions } = asked();
    expect([12, 12, 13, 19.99].map(next)).toEqual([20, 20, 20, 20]);
    expect(questions).toEqual(['next 12']);
    expect(next(20)).toBe(30);
    expect(next(11)).toBe(20);
    expect(questions).toEqual(['next 12', 'next 20', 'next 11']);
  });
  it('is known from the earliest question on', () => {
    const { next, questions } = asked();
    expect([19, 11, 15, 11, 19].map(next)).toEqual([20, 20, 20, 20, 20]);
    expect(questions).toEqual(['next 19', 'next 11']);
  });
  it('takes one place, whatever the questions', () => {
    const { next, questions } = asked();
    next(5);
    for (const minute of range(11, 19).toReversed()) expect(next(minute)).toBe(20);
    expect(questions).toHaveLength(10);
    expect([next(5), next(11)]).toEqual([10, 20]);
    expect(questions).toHaveLength(10);
  });
  it('may be none', () => {
    const { next, questions } = asked(untilTen);
    expect([20, 20, 1_000_000].map(next)).toEqual([undefined, undefined, undefined]);
    expect(questions).toEqual(['next 20']);
    expect([10, 11, 9].map(next)).toEqual([undefined, undefined, 10]);
    expect(questions).toEqual(['next 20', 'next 10', 'next 9']);
  });
  it('is one of eight; the oldest is forgotten', () => {
    const { next, questions } = asked();
    const eight = range(0, 7).map((n) => n * 10 + 5);
    for (const minute of [...eight, ...eight]) next(minute);
    expect(questions).toHaveLength(8);
    next(85);
    expect(eight.slice(1).map(next)).toEqual([20, 30, 40, 50, 60, 70, 80]);
    expect(questions).toHaveLength(9);
    expect(next(5)).toBe(10);
    expect(questions).toHaveLength(10);
    // That was at the cost of the next oldest.
    next(25);
    expect(questions).toHaveLength(10);
    next(15);
    expect(questions).toHaveLength(11);
  });
});

describe('a remembered previous time', () => {
  it('is asked for once, from after the time itself up to the instant of the question', () => {
    const { previous, questions } = asked();
    expect([18, 18, 17, 10.01].map(previous)).toEqual([10, 10, 10, 10]);
    expect(questions).toEqual(['previous 18']);
    expect(previous(10)).toBe(0);
    expect(previous(19)).toBe(10);
    expect(questions).toEqual(['previous 18', 'previous 10', 'previous 19']);
  });
  it('is known up to the latest question', () => {
    const { previous, questions } = asked();
    expect([11, 19, 15, 19, 11].map(previous)).toEqual([10, 10, 10, 10, 10]);
    expect(questions).toEqual(['previous 11', 'previous 19']);
  });
  it('takes one place, whatever the questions', () => {
    const { previous, questions } = asked();
    previous(5);
    for (const minute of range(11, 19)) expect(previous(minute)).toBe(10);
    expect(questions).toHaveLength(10);
    expect([previous(5), previous(19)]).toEqual([0, 10]);
    expect(questions).toHaveLength(10);
  });
  it('may be none', () => {
    const { previous, questions } = asked(untilTen);
    expect([5, 5, -1_000_000].map(previous)).toEqual([undefined, undefined, undefined]);
    expect(questions).toEqual(['previous 5']);
    expect([10, 9, 11].map(previous)).toEqual([undefined, undefined, 10]);
    expect(questions).toEqual(['previous 5', 'previous 10', 'previous 11']);
  });
  it('is one of eight; the oldest is forgotten', () => {
    const { previous, questions } = asked();
    const nine = range(0, 8).map((n) => n * 10 + 5);
    for (const minute of [...nine, ...nine.slice(1)]) previous(minute);
    expect(questions).toHaveLength(9);
    expect(previous(5)).toBe(0);
    expect(questions).toHaveLength(10);
  });
});

describe('a count', () => {
  it.each([
    ['before the next time', 12, 19, 0, []],
    ['up to the next time', 12, 20, 1, []],
    ['up to before the one after', 12, 29, 1, []],
    ['up to the one after', 12, 30, 2, ['count 12 30']],
    ['over many times', 12, 1_012, 100, ['count 12 1012']],
    ['from a time, which does not count', 20, 20, 0, []],
    ['that is turned', 50, 20, 0, []],
  ])('of none or one is taken from the next times: %s', (_, after, through, count, counts) => {
    const { count: ask, questions } = asked();
    expect(ask(after, through)).toBe(count);
    expect(questions.filter((question) => question.startsWith('count'))).toEqual(counts);
  });
  it('ends with the last time of the spec', () => {
    const { count, questions } = asked(untilTen);
    expect([count(0, 1_000), count(10, 1_000), count(0, 9)]).toEqual([1, 0, 0]);
    expect(questions.filter((question) => question.startsWith('count'))).toEqual([]);
  });
});

it('a start is that of the spec, with its jitter', () => {
  const jittered = compileSpec({ cron: '0 * * * *', jitter: '30 minutes' }, { scheduleId: 'nightly' });
  expect(new RememberedSpec(jittered).startTime(at(0))).toBe(jittered.startTime(at(0)));
  expect(jittered.startTime(at(0))).not.toBe(at(0));
});
