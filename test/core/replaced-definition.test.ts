import { describe, expect, it } from 'vitest';
import type { FreezeStretch } from '../../core/decisions/freeze';
import { type HandoverInput, handOver } from '../../core/decisions/replaced-definition';
import { type CompiledSpec, compileSpec } from '../../core/occurrences';

const MINUTE = 60_000;
const EPOCH = Date.parse('2026-03-01T00:00:00Z');
const at = (minute: number) => EPOCH + minute * MINUTE;
const everyMinute = compileSpec({ cron: '* * * * *' });
const JITTERED = { cron: '*/10 * * * *', jitter: '59 seconds' } as const;
const jittered = compileSpec(JITTERED, { scheduleId: 'jittered' });
/** The start of the occurrence of minute 10, more than a second after its time. */
const START = jittered.startTime(at(10));

const freeze = (from: number, to: number, catchUp: FreezeStretch['catchUp'] = 'NONE') => ({
  ...{ freezeId: 'f', from, to, catchUp },
});
const left = (spec: CompiledSpec, input: Pick<HandoverInput, 'answeredTo' | 'at'> & Partial<HandoverInput>) =>
  handOver(spec, { catchupWindowMilliseconds: 60 * MINUTE, catchupLimit: 100, freezes: [], ...input });

describe('a definition that is replaced', () => {
  it.each([
    ['at the instant to which it has answered', 10],
    ['by a clock that is behind that instant', 8],
  ])('leaves nothing if that is %s', (_, minute) => {
    const input = { answeredTo: at(10), at: at(minute), freezes: [freeze(at(0), at(30))] };
    expect(left(everyMinute, input)).toEqual({ firings: [], gaps: [] });
    expect(left(jittered, input)).toEqual({ firings: [], gaps: [] });
  });

  it('leaves nothing before its first occurrence', () => {
    const later = compileSpec({ ...JITTERED, startAt: new Date(at(60)) }, { scheduleId: 'jittered' });
    const input = { answeredTo: at(0), at: at(20), freezes: [freeze(at(0), at(90))] };
    expect(left(later, input)).toEqual({ firings: [], gaps: [] });
  });

  it('answers what is due, the instant of the change included', () => {
    const { firings, gaps } = left(everyMinute, { answeredTo: at(7), at: at(10), catchupLimit: 2 });
    expect(gaps).toEqual([{ from: at(8), to: at(8), count: 1, reason: 'over_catchup_limit' }]);
    expect(firings).toEqual([
      { scheduledTime: at(9), kind: 'catchup' },
      { scheduledTime: at(10), kind: 'schedule' },
    ]);
    expect(left(everyMinute, { answeredTo: at(9), at: at(10) - 1 })).toEqual({ firings: [], gaps: [] });
  });

  it('answers what its catch-up window no longer reaches by a gap', () => {
    const input = { answeredTo: at(0), at: at(5) + 30_000, catchupWindowMilliseconds: 2 * MINUTE };
    const { firings, gaps } = left(everyMinute, input);
    expect(gaps).toEqual([{ from: at(1), to: at(3), count: 3, reason: 'outside_catchup_window' }]);
    expect(firings.map(({ scheduledTime }) => scheduledTime)).toEqual([at(4), at(5)]);
  });

  it.each(['ALL', 'LAST'] as const)('lets nothing fire in retired months, held by a freeze (%s) or not', (catchUp) => {
    const freezes = [freeze(at(8), at(12), catchUp)];
    const input = { answeredTo: at(5), at: at(20) + 1, notBefore: at(18), freezes };
    const { firings, gaps } = left(everyMinute, input);
    expect(firings.map(({ scheduledTime }) => scheduledTime)).toEqual([at(18), at(19), at(20)]);
    expect(gaps).toEqual([
      { from: at(6), to: at(7), count: 2, reason: 'outside_retention' },
      { from: at(8), to: at(11), count: 4, reason: 'frozen', freezeId: 'f' },
      { from: at(12), to: at(17), count: 6, reason: 'outside_retention' },
    ]);
  });

  it('lets what is excluded count for no limit', () => {
    const input = { answeredTo: at(6), at: at(9) + 30_000, catchupLimit: 2, excluded: [at(8)] };
    const { firings, gaps } = left(everyMinute, input);
    expect(gaps).toEqual([]);
    expect(firings.map(({ scheduledTime }) => scheduledTime)).toEqual([at(7), at(8), at(9)]);
  });
});

describe('the last occurrence of a definition that is replaced', () => {
  it.each([
    ['at its very time', at(10)],
    ['while its jitter runs', START - 1],
  ])('still fires when its jitter is over: changed %s', (_, change) => {
    expect(left(jittered, { answeredTo: at(9), at: change })).toEqual({
      firings: [{ scheduledTime: at(10), kind: 'schedule', startsAt: START }],
      gaps: [],
    });
  });

  it('does not fire if its month is retired while its jitter runs: a gap answers for it', () => {
    const input = { answeredTo: at(9), at: at(10) };
    expect(left(jittered, { ...input, notBefore: at(10) }).firings).toHaveLength(1);
    expect(left(jittered, { ...input, notBefore: at(10) + 1 })).toEqual({
      firings: [],
      gaps: [{ from: at(10), to: at(10), count: 1, reason: 'outside_retention' }],
    });
  });

  it('fires at once where the change comes with its start', () => {
    const { firings } = left(jittered, { answeredTo: at(9), at: START });
    expect(firings).toEqual([{ scheduledTime: at(10), kind: 'schedule' }]);
  });

  it('comes after the missed ones', () => {
    const { firings } = left(jittered, { answeredTo: at(-1), at: at(10) });
    expect(firings).toEqual([
      { scheduledTime: at(0), kind: 'catchup' },
      { scheduledTime: at(10), kind: 'schedule', startsAt: START },
    ]);
  });

  it.each<[string, number, FreezeStretch]>([
    ['at its very time', at(10), freeze(at(5), at(30))],
    ['just before its start', START - 1, freeze(at(5), at(30))],
    ['before the freeze begins, which does with its start', START - 1, freeze(START, at(30))],
    ['and the freeze ends just after its start', at(10), freeze(at(5), START + 1)],
  ])('is held by a freeze into which its jitter puts its start: changed %s', (_, change, held) => {
    expect(left(jittered, { answeredTo: at(9), at: change, freezes: [held] })).toEqual({
      firings: [],
      gaps: [{ from: at(10), to: at(10), count: 1, reason: 'frozen', freezeId: 'f' }],
    });
  });

  it.each([
    ['ends with its start', freeze(at(5), START)],
    ['begins just after its start', freeze(START + 1, at(30))],
  ])('is not held by a freeze that %s', (_, beside) => {
    expect(left(jittered, { answeredTo: at(9), at: at(10), freezes: [beside] })).toEqual({
      firings: [{ scheduledTime: at(10), kind: 'schedule', startsAt: START }],
      gaps: [],
    });
  });

  it('is held too where the spec ends with it', () => {
    const ends = compileSpec({ ...JITTERED, endAt: new Date(at(10)) }, { scheduleId: 'jittered' });
    const input = { answeredTo: at(9), at: at(10), freezes: [freeze(at(5), at(30), 'LAST')] };
    expect(left(ends, input)).toMatchObject({ firings: [{ scheduledTime: at(10), kind: 'catchup' }], gaps: [] });
  });

  it('is answered without the next one, though its jitter ends just before that', () => {
    const everySecond = compileSpec({ cron: '* * * * * *', jitter: '1 second' }, { scheduleId: 'jittered' });
    let last = at(0);
    while (everySecond.startTime(last) !== last + 999) last += 1_000;
    const input = { answeredTo: last - 1, at: last, freezes: [freeze(at(-1), last + MINUTE)] };
    const { firings, gaps } = left(everySecond, input);
    expect([...firings.map(({ scheduledTime }) => scheduledTime), ...gaps.map(({ to }) => to)]).toEqual([last]);
  });
});

describe('a freeze in which a definition is replaced', () => {
  it('ends with the change, for what it has held', () => {
    const input = { answeredTo: at(5), at: at(10) + 1 };
    expect(left(everyMinute, { ...input, freezes: [freeze(at(8), at(30))] })).toEqual({
      firings: [6, 7].map((minute) => ({ scheduledTime: at(minute), kind: 'catchup' })),
      gaps: [{ from: at(8), to: at(10), count: 3, reason: 'frozen', freezeId: 'f' }],
    });
  });

  it.each([
    ['a', 'b'],
    ['b', 'a'],
  ])('gives way to one that ends later, though the change cuts both: %s before %s', (first, second) => {
    const freezes: FreezeStretch[] = [
      { freezeId: first, from: at(6), to: at(30), catchUp: 'NONE' },
      { freezeId: second, from: at(8), to: at(60), catchUp: 'ALL' },
    ];
    expect(left(everyMinute, { answeredTo: at(5), at: at(10) + 1, freezes })).toEqual({
      firings: [8, 9, 10].map((minute) => ({ scheduledTime: at(minute), kind: 'catchup', thawed: true })),
      gaps: [{ from: at(6), to: at(7), count: 2, reason: 'frozen', freezeId: first }],
    });
  });

  it.each([
    ['its time', everyMinute, at(10)],
    ['the end of its jitter', jittered, START],
  ])('holds an occurrence where the change comes with %s', (_, spec, change) => {
    expect(left(spec, { answeredTo: at(9), at: change, freezes: [freeze(at(5), at(30))] })).toEqual({
      firings: [],
      gaps: [{ from: at(10), to: at(10), count: 1, reason: 'frozen', freezeId: 'f' }],
    });
  });

  it.each([at(10) + 1, at(20)])('holds nothing where it begins with the change or later: %s', (from) => {
    const input = { answeredTo: at(9), at: at(10) + 1, freezes: [freeze(from, at(30))] };
    expect(left(everyMinute, input)).toEqual({ firings: [{ scheduledTime: at(10), kind: 'schedule' }], gaps: [] });
  });
});
